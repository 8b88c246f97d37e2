//! The folders in which a system keeps shared libraries: those that its administrator named in `/etc/ld.so.conf`, and
//! the usual ones (ld.so(8)). `LD_LIBRARY_PATH` is not asked: whoever starts a program sets it, for other programs.

use partita_ir::input_file;
use std::path::{Path, PathBuf};

/// What names further folders.
const CONFIGURATION: &str = "/etc/ld.so.conf";

/// Folders that are searched without being named.
const USUAL: [&str; 9] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    // Where NixOS has drivers.
    "/run/opengl-driver/lib",
];

/// Files may include others, but not without end.
const DEPTH: usize = 8;

/// All folders, those that were named first.
pub(super) fn folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    read(Path::new(CONFIGURATION), DEPTH, &mut folders);
    folders.extend(USUAL.map(PathBuf::from));
    folders.retain(|folder| folder.is_dir());
    folders
}

/// Adds the folders that a configuration names, and those of the files that it includes.
fn read(file: &Path, depth: usize, folders: &mut Vec<PathBuf>) {
    let Ok(text) = input_file::read_text(file) else { return };
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        match line.strip_prefix("include") {
            Some(included) if depth > 0 && included.starts_with(char::is_whitespace) => {
                let beside = file.parent().unwrap_or(Path::new("/")).join(included.trim());
                included_by(&beside).iter().for_each(|file| read(file, depth - 1, folders));
            }
            // A relative folder would be one of whoever starts the program.
            _ if line.starts_with('/') => folders.push(line.into()),
            _ => {}
        }
    }
}

/// The files of a pattern `FOLDER/*.ENDING`, in order, or the file that it names.
fn included_by(pattern: &Path) -> Vec<PathBuf> {
    let name = pattern.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some((before, behind)) = name.split_once('*') else { return vec![pattern.to_owned()] };
    let entries = pattern.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let fits = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with(before) && name.ends_with(behind)
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(fits).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_those_that_the_system_names() {
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
