//! Libraries and headers of NVIDIA: in a toolkit, in wheels of Python, or in folders of the system.
//!
//! Loading a library runs its code. So libraries come only from where the user or the system's administrator put them
//! for that purpose: `PARTITA_CUDA` names a folder (a toolkit, a virtual environment of Python, or the folder `nvidia`
//! of its packages), then `/usr/local/cuda` is searched, then the [folders of the system](system). Variables that other
//! programs set, such as `VIRTUAL_ENV`, `CUDA_HOME` and `LD_LIBRARY_PATH`, are not followed. The driver's library is
//! the one that the system's loader gives to CubeCL.
#![allow(unsafe_code, reason = "loading a library runs its initialisers")]

mod system;

use libloading::Library;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable that names a folder.
const VARIABLE: &str = "PARTITA_CUDA";

/// Variables of other programs that name such a folder: an error mentions those that are set.
const OTHER_VARIABLES: [&str; 4] = ["CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH"];

/// Where toolkits are installed.
const SYSTEM: &str = "/usr/local/cuda";

/// A library that was found.
pub(crate) struct Found {
    library: Library,
    /// Where.
    pub(crate) at: String,
    /// The toolkit or environment that has it; nothing for one of the system.
    root: Option<PathBuf>,
}

impl Found {
    /// A function, which has the type that the library's header says.
    ///
    /// # Errors
    /// That it is not there.
    pub(crate) fn symbol<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: callers give the type of the header.
        let found = unsafe { self.library.get::<F>(name) };
        found.map(|found| *found).map_err(|e| format!("{} is too old: {e}", self.at))
    }
}

/// Loads the library in a file.
///
/// # Errors
/// What the loader says.
pub(crate) fn load(at: &str) -> Result<Found, libloading::Error> {
    // SAFETY: NVIDIA's libraries have no initialisers that others could trip over.
    Ok(Found { library: unsafe { Library::new(at) }?, at: at.to_owned(), root: None })
}

/// Loads `lib{stem}.so`, of any version: that of the first folder that has one.
///
/// # Errors
/// Where it was looked for in vain; or that it is there and cannot be loaded, whatever other folders have.
pub(crate) fn open(stem: &str) -> Result<Found, String> {
    let named_folder = std::env::var_os(VARIABLE).map(PathBuf::from);
    if let Some(folder) = named_folder.filter(|folder| !folder.is_dir()) {
        return Err(format!("{VARIABLE} is {}, which is no folder", folder.display()));
    }
    for root in roots(std::env::var_os(VARIABLE)) {
        let mut why = None;
        for path in inside(&root).iter().flat_map(|folder| named(folder, stem)) {
            let at = path.display().to_string();
            match load(&at) {
                Ok(found) => return Ok(Found { root: Some(root), ..found }),
                Err(e) => why = Some(format!("{at} cannot be loaded: {e}")),
            }
        }
        if let Some(why) = why {
            return Err(why);
        }
    }
    let suffixes = ["", ".13", ".12", ".11", ".2", ".1"];
    let names = suffixes.map(|version| format!("lib{stem}.so{version}"));
    let of_system = system::folders().into_iter().flat_map(|folder| names.clone().map(|name| folder.join(name)));
    if let Some(found) = of_system.filter(|path| path.exists()).find_map(|path| load(&path.display().to_string()).ok())
    {
        return Ok(found);
    }
    let looked = roots(std::env::var_os(VARIABLE)).map(|root| format!("{}, ", root.display())).collect::<String>();
    let other = OTHER_VARIABLES.iter().find_map(|name| Some((name, std::env::var(name).ok()?)));
    let hint = other.filter(|_| std::env::var_os(VARIABLE).is_none());
    let hint = hint.map(|(name, folder)| format!("; {name} is not followed: set {VARIABLE}={folder} if it is there"));
    Err(format!("lib{stem}.so is not in {looked}the system's libraries{}", hint.unwrap_or_default()))
}

impl Found {
    /// Folders with headers of the same toolkit or environment, since those of another version are others; of a library
    /// of the system, all that there are.
    pub(crate) fn includes(&self) -> Vec<PathBuf> {
        let roots: Vec<PathBuf> = match &self.root {
            Some(root) => vec![root.clone()],
            None => roots(std::env::var_os(VARIABLE)).collect(),
        };
        let folders = roots.iter().flat_map(|root| inside(root)).map(|folder| folder.join("include"));
        // From CUDA 13 on, libraries of C++ have a folder of their own.
        folders.flat_map(|folder| [folder.join("cccl"), folder]).filter(|folder| folder.is_dir()).collect()
    }
}

/// Toolkits and environments, in order.
fn roots(named: Option<OsString>) -> impl Iterator<Item = PathBuf> {
    named.map(PathBuf::from).into_iter().chain([PathBuf::from(SYSTEM)]).filter(|root| root.is_dir())
}

/// A folder, and the folders of the packages in it.
fn inside(root: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut entries: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        entries.sort();
        entries
    };
    let is_python = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
    let pythons = entries(&root.join("lib")).into_iter().filter(is_python);
    let mut wheels: Vec<PathBuf> = pythons.flat_map(|python| entries(&python.join("site-packages/nvidia"))).collect();
    let is_package = |path: &PathBuf| path.join("include").is_dir() || path.join("lib").is_dir();
    wheels.extend(entries(root).into_iter().filter(is_package));
    [root.to_owned()].into_iter().chain(wheels).collect()
}

/// The files of a library in a folder, in order.
fn named(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let prefix = format!("lib{stem}.so");
    let places = ["lib", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
    let entries = places.iter().flat_map(|place| std::fs::read_dir(folder.join(place))).flatten().flatten();
    let is_named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_named).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_wheels_are_found() {
        let root = std::env::temp_dir().join(format!("partita-library-{}", std::process::id()));
        let packages = root.join("lib/python3.11/site-packages/nvidia");
        for place in ["cuda_nvrtc/lib", "cuda_runtime/include", "plain"] {
            std::fs::create_dir_all(packages.join(place)).unwrap();
        }
        for file in ["libnvrtc-builtins.so.12.9", "libnvrtc.so.12"] {
            std::fs::write(packages.join("cuda_nvrtc/lib").join(file), "").unwrap();
        }
        let found: Vec<PathBuf> = inside(&root).iter().flat_map(|folder| named(folder, "nvrtc")).collect();
        assert_eq!(found, [packages.join("cuda_nvrtc/lib/libnvrtc.so.12")]);
        let packaged: Vec<PathBuf> = inside(&packages).iter().flat_map(|folder| named(folder, "nvrtc")).collect();
        assert_eq!(packaged, found);
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn what_is_missing_is_named() {
        let why = open("partita_has_no_such_library").err().unwrap();
        assert!(why.starts_with("libpartita_has_no_such_library.so is not in "), "{why}");
    }
}
