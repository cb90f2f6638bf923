//! Where a server keeps its data, and the user that it runs as.

use std::env;
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A user without rights, for servers that root starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct User {
    id: u32,
    group: u32,
}

/// A folder of a server, which goes away with it.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    user: Option<User>,
}

impl Folder {
    /// A new and empty folder.
    pub(super) fn new(kind: &str) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("legwork-{kind}-{}-{number}", std::process::id());
        let home = home();
        let path = home.clone().unwrap_or_else(env::temp_dir).join(name);
        // One of a process that had this id before.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        let folder = Self { user: User::needed(&path)?, path };
        folder.owned(folder.path(), 0o700)?;
        if let Some(home) = home {
            // So that the server's user may remove the folder.
            folder.owned(&home, 0o755)?;
        }
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A command that runs as the user that owns the folder.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.path);
        if let Some(user) = self.user {
            command.uid(user.id).gid(user.group);
        }
        command
    }

    /// Writes a file that only the user of the server may read.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        fs::write(&path, "")?;
        self.owned(&path, 0o600)?;
        fs::write(&path, text)?;
        Ok(path)
    }

    fn owned(&self, path: &Path, mode: u32) -> io::Result<()> {
        fs::set_permissions(path, Permissions::from_mode(mode))?;
        match self.user {
            Some(user) => chown(path, Some(user.id), Some(user.group)),
            None => Ok(()),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl User {
    /// The user to run a server as: none if this process is not of root, who owns the folder then.
    fn needed(folder: &Path) -> io::Result<Option<Self>> {
        if folder.metadata()?.uid() != 0 {
            return Ok(None);
        }
        Ok(Some(Self { id: of_nobody("-u")?, group: of_nobody("-g")? }))
    }
}

fn of_nobody(flag: &str) -> io::Result<u32> {
    let output = Command::new("id").args([flag, "nobody"]).output()?;
    let number = str::from_utf8(&output.stdout).ok().and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| io::Error::other("there is no user `nobody` to run a server as"))
}

/// The folder below the target directory that servers have theirs in; none if another user could
/// not reach it.
pub(super) fn home() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let folders = program.ancestors().skip(1);
    let of_cargo = |folder: &&Path| !folder.ends_with("deps") && !folder.ends_with("examples");
    let home = folders.into_iter().find(of_cargo)?.join("servers");
    fs::create_dir_all(&home).ok()?;
    let may_be_entered =
        |folder: &Path| folder.metadata().is_ok_and(|found| found.mode() & 0o001 != 0);
    home.ancestors().all(may_be_entered).then_some(home)
}

/// A password that nobody can guess.
pub(super) fn password() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
