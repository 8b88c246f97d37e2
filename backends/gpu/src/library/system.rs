//! System folders for shared libraries: those configured in `/etc/ld.so.conf`, and the default ones (ld.so(8)).
//! `LD_LIBRARY_PATH` is ignored, since it may have been set for another program.

use partita_ir::input_file;
use std::path::{Path, PathBuf};

/// Configuration file of the dynamic loader.
const CONFIGURATION: &str = "/etc/ld.so.conf";

/// Default folders of the dynamic loader on common Linux distributions, for x86-64 and AArch64.
const DEFAULT_FOLDERS: [&str; 9] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    // Drivers on NixOS.
    "/run/opengl-driver/lib",
];

/// Maximum depth of nested `include` lines.
const MAX_INCLUDE_DEPTH: usize = 8;

/// Returns all existing folders, configured ones first.
pub(super) fn folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    read(Path::new(CONFIGURATION), MAX_INCLUDE_DEPTH, &mut folders);
    folders.extend(DEFAULT_FOLDERS.map(PathBuf::from));
    folders.retain(|folder| folder.is_dir());
    folders
}

/// Appends the folders of a configuration file and of the files that it includes, up to `depth` levels of nesting.
/// Unreadable files are ignored.
fn read(file: &Path, depth: usize, folders: &mut Vec<PathBuf>) {
    let Ok(text) = input_file::read_text(file) else { return };
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        match line.strip_prefix("include") {
            Some(included) if depth > 0 && included.starts_with(char::is_whitespace) => {
                let pattern = file.parent().unwrap_or(Path::new("/")).join(included.trim());
                matching_files(&pattern).iter().for_each(|file| read(file, depth - 1, folders));
            }
            // A relative folder would depend on the working directory.
            _ if line.starts_with('/') => folders.push(line.into()),
            _ => {}
        }
    }
}

/// Returns the files that match a pattern `FOLDER/PREFIX*SUFFIX` in alphabetical order, or the named file if the
/// pattern has no `*`.
fn matching_files(pattern: &Path) -> Vec<PathBuf> {
    let name = pattern.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some((prefix, suffix)) = name.split_once('*') else { return vec![pattern.to_owned()] };
    let entries = pattern.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let fits = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with(prefix) && name.ends_with(suffix)
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(fits).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configured_folders_are_read_with_includes() {
        let root = std::env::temp_dir().join(format!("partita-system-{}", std::process::id()));
        std::fs::create_dir_all(root.join("more")).unwrap();
        let write = |file: &str, text: &str| std::fs::write(root.join(file), text).unwrap();
        write("main.conf", "/first # the first one\nhere\ninclude more/*.conf\n/last\ninclude main.conf\n");
        write("more/b.conf", "/b\n");
        write("more/a.conf", "/a\n\n");
        write("more/c.txt", "/c\n");
        let mut folders = Vec::new();
        read(&root.join("main.conf"), 0, &mut folders);
        assert_eq!(folders, ["/first", "/last"].map(PathBuf::from));
        folders.clear();
        read(&root.join("main.conf"), 1, &mut folders);
        assert_eq!(folders, ["/first", "/a", "/b", "/last", "/first", "/last"].map(PathBuf::from));
        std::fs::remove_dir_all(root).unwrap();
    }
}
