//! Search for NVIDIA's libraries and headers in CUDA toolkits, Python wheels and system folders.
//!
//! Loading a library executes its code. Libraries are therefore loaded only from folders that the user or the system's
//! administrator chose for that purpose: `PARTITA_CUDA` names a folder (a toolkit, a Python virtual environment, or the
//! folder `nvidia` of its packages), then `/usr/local/cuda` is searched, then the [system folders](system). Variables
//! that other programs set, such as `VIRTUAL_ENV`, `CUDA_HOME` and `LD_LIBRARY_PATH`, are ignored. The driver's library
//! is found by the system's loader.
#![allow(unsafe_code, reason = "loading a library runs its initialisers")]

mod system;

use libloading::Library;
use partita_ir::diag::with_causes;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Environment variable that names a folder to search.
const FOLDER_VARIABLE: &str = "PARTITA_CUDA";

/// Environment variables by which other programs find CUDA libraries. They are ignored, but an error mentions the first
/// one that is set.
const OTHER_VARIABLES: [&str; 4] = ["CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH"];

/// Default folder of CUDA toolkits.
const DEFAULT_TOOLKIT: &str = "/usr/local/cuda";

/// A loaded library.
pub(crate) struct LoadedLibrary {
    library: Library,
    /// Path of the library.
    pub(crate) path: String,
    /// Toolkit or environment that contains the library; `None` for a system library.
    root: Option<PathBuf>,
}

impl LoadedLibrary {
    /// Returns a function of the library. `F` must be its type according to the header.
    ///
    /// # Errors
    /// A message that the library does not export the function.
    pub(crate) fn symbol<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: callers pass the type in the header.
        let found = unsafe { self.library.get::<F>(name) };
        found.map(|found| *found).map_err(|e| format!("{} is too old: {}", self.path, with_causes(&e)))
    }
}

/// Loads the library at a path.
///
/// # Errors
/// The loader's error.
pub(crate) fn load(at: &str) -> Result<LoadedLibrary, libloading::Error> {
    // SAFETY: initialisers of NVIDIA's libraries have no side effects on other code.
    Ok(LoadedLibrary { library: unsafe { Library::new(at) }?, path: at.to_owned(), root: None })
}

/// Loads `lib{stem}.so`, of any version, from the first folder that has one.
///
/// # Errors
/// A message with the searched folders, or with the loader's error if the first folder's library cannot be loaded.
pub(crate) fn open(stem: &str) -> Result<LoadedLibrary, String> {
    let named_folder = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
    if let Some(folder) = named_folder.filter(|folder| !folder.is_dir()) {
        return Err(format!("{FOLDER_VARIABLE} is {}, which is not a folder", folder.display()));
    }
    for root in roots(std::env::var_os(FOLDER_VARIABLE)) {
        let mut why = None;
        for path in package_folders(&root).iter().flat_map(|folder| library_files(folder, stem)) {
            let at = path.display().to_string();
            match load(&at) {
                Ok(found) => return Ok(LoadedLibrary { root: Some(root), ..found }),
                Err(e) => why = Some(format!("{at} cannot be loaded: {}", with_causes(&e))),
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
    let searched =
        roots(std::env::var_os(FOLDER_VARIABLE)).map(|root| format!("{}, ", root.display())).collect::<String>();
    let other = OTHER_VARIABLES.iter().find_map(|name| Some((name, std::env::var(name).ok()?)));
    let hint = other.filter(|_| std::env::var_os(FOLDER_VARIABLE).is_none());
    let hint = hint.map(|(name, folder)| format!("; {name} is ignored: set {FOLDER_VARIABLE}={folder} to search it"));
    Err(format!("lib{stem}.so is not in {searched}the system's libraries{}", hint.unwrap_or_default()))
}

impl LoadedLibrary {
    /// Returns the folders with headers of the same toolkit or environment, since headers of other versions do not
    /// match. For a system library, returns those of all toolkits and environments.
    pub(crate) fn includes(&self) -> Vec<PathBuf> {
        let roots: Vec<PathBuf> = match &self.root {
            Some(root) => vec![root.clone()],
            None => roots(std::env::var_os(FOLDER_VARIABLE)).collect(),
        };
        let folders = roots.iter().flat_map(|root| package_folders(root)).map(|folder| folder.join("include"));
        // Since CUDA 13, headers of the C++ core libraries are in a separate folder.
        folders.flat_map(|folder| [folder.join("cccl"), folder]).filter(|folder| folder.is_dir()).collect()
    }
}

/// Returns the toolkits and environments to search, in order.
fn roots(named: Option<OsString>) -> impl Iterator<Item = PathBuf> {
    named.map(PathBuf::from).into_iter().chain([PathBuf::from(DEFAULT_TOOLKIT)]).filter(|root| root.is_dir())
}

/// Returns a folder, and the folders of the packages in it.
fn package_folders(root: &Path) -> Vec<PathBuf> {
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

/// Returns the files of a library in a folder, in order.
fn library_files(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let prefix = format!("lib{stem}.so");
    let subfolders = ["lib", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
    let entries = subfolders.iter().flat_map(|subfolder| std::fs::read_dir(folder.join(subfolder))).flatten().flatten();
    let is_named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_named).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_in_wheels_are_found() {
        let root = std::env::temp_dir().join(format!("partita-library-{}", std::process::id()));
        let packages = root.join("lib/python3.11/site-packages/nvidia");
        for subfolder in ["cuda_nvrtc/lib", "cuda_runtime/include", "plain"] {
            std::fs::create_dir_all(packages.join(subfolder)).unwrap();
        }
        for file in ["libnvrtc-builtins.so.12.9", "libnvrtc.so.12"] {
            std::fs::write(packages.join("cuda_nvrtc/lib").join(file), "").unwrap();
        }
        let found: Vec<PathBuf> =
            package_folders(&root).iter().flat_map(|folder| library_files(folder, "nvrtc")).collect();
        assert_eq!(found, [packages.join("cuda_nvrtc/lib/libnvrtc.so.12")]);
        let packaged: Vec<PathBuf> =
            package_folders(&packages).iter().flat_map(|folder| library_files(folder, "nvrtc")).collect();
        assert_eq!(packaged, found);
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_missing_library_is_reported() {
        let why = open("partita_has_no_such_library").err().unwrap();
        assert!(why.starts_with("libpartita_has_no_such_library.so is not in "), "{why}");
    }
}
