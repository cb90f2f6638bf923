//! Small disks, and disks that cannot be written.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// A folder that is a disk of its own where the user may mount one, until it is dropped.
pub(crate) struct Disk<'a> {
    folder: &'a Path,
    mounted: bool,
}

impl<'a> Disk<'a> {
    pub(crate) fn new(folder: &'a Path, size: &str) -> Self {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(folder);
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        Self { folder, mounted }
    }

    /// Whether it is a disk of its own; else the test can test nothing.
    pub(crate) fn is_mounted(&self) -> bool {
        if !self.mounted {
            println!("skipped: this user may not mount a small disk");
        }
        self.mounted
    }

    /// Takes away the right to write there; says whether that worked.
    pub(crate) fn freeze(&self) -> bool {
        if self.mounted {
            let mut mount = Command::new("mount");
            let output = mount.args(["-o", "remount,ro"]).arg(self.folder).output().unwrap();
            assert!(output.status.success());
        } else {
            self.set_modes(0o400, 0o500);
        }
        let frozen = fs::write(self.folder.join("probe"), "").is_err();
        if !frozen {
            println!("skipped: nothing is read-only for this user");
        }
        frozen
    }

    fn set_modes(&self, files: u32, folder: u32) {
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
        for file in fs::read_dir(self.folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                set(&path, files).unwrap();
            }
        }
        set(self.folder, folder).unwrap();
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        if self.mounted {
            let _ = Command::new("umount").arg("-l").arg(self.folder).output();
        } else {
            let _ = fs::set_permissions(self.folder, fs::Permissions::from_mode(0o700));
        }
    }
}
