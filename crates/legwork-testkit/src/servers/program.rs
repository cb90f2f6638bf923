//! Where the programs of the servers are.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder with the programs of Postgres; prints that tests are skipped if there is none.
pub(super) fn postgres() -> Option<PathBuf> {
    let found = newest_of_debian().or_else(|| on_path("initdb"));
    if found.is_none() {
        skip("no `initdb` (package postgresql), so there is no Postgres server");
    }
    found
}

/// The folder with the programs of Redis; prints that tests are skipped if there is none.
pub(super) fn redis() -> Option<PathBuf> {
    let found = on_path("redis-server");
    if found.is_none() {
        skip("no `redis-server` (package redis-server), so there is no Redis server");
    }
    found
}

/// Debian keeps the programs of each version of Postgres in a folder that is not on the path.
fn newest_of_debian() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let version = |folder: &Path| folder.file_name()?.to_str()?.parse::<u32>().ok();
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path()));
    let whole = folders.filter(|folder| folder.join("bin/initdb").is_file());
    let newest = whole.max_by_key(|folder| version(folder))?;
    Some(newest.join("bin"))
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).find(|folder| folder.join(program).is_file())
}

/// Says what is skipped, in the form that `cargo xtask test` counts.
#[allow(clippy::print_stdout, reason = "the runner of the tests reads it there")]
fn skip(why: &str) {
    println!("skipped: {why}");
}
