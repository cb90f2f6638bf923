//! Files of settings that are no files of settings, and where they are looked for.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::home::{Home, Ran, ran};

/// Nobody in particular.
const NOBODY: u32 = 65534;

fn user_file(home: &Home) -> PathBuf {
    let folder = home.work().parent().unwrap().join(".config/legwork");
    fs::create_dir_all(&folder).unwrap();
    folder.join("legwork.toml")
}

/// Checks that a command says this of the user's file and does nothing.
fn refused(home: &Home, said: &str) {
    let told = home.ran(&["run", "--json", "--model", "ollama:q", "x"]).ends(2);
    assert_eq!(told.kinds(), ["run_failed"]);
    told.says("~/.config/legwork/legwork.toml").says(said).says("hint: ");
    home.ran(&["sessions", "list"]).ends(2).says(said);
    assert!(!home.store().exists());
}

#[test]
fn what_is_no_file_of_text_is_refused() {
    let home = Home::new();
    let path = user_file(&home);
    fs::write(&path, b"model = '\xff'").unwrap();
    refused(&home, "it is no UTF-8 text");
    fs::write(&path, "# too much\n".repeat(100_000)).unwrap();
    refused(&home, "larger than 1 MB");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused(&home, "it is not a regular file");
    fs::remove_dir(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    refused(&home, "it is not a regular file");
    fs::remove_file(&path).unwrap();
    symlink("/dev/zero", &path).unwrap();
    refused(&home, "it is not a regular file");
}

#[test]
fn what_nests_without_end_is_refused() {
    let home = Home::new();
    fs::write(user_file(&home), format!("allow_paths = {}", "[".repeat(500_000))).unwrap();
    refused(&home, "this is no TOML");
}

#[test]
fn a_file_that_everybody_may_write_to_is_refused() {
    let home = Home::new();
    let path = user_file(&home);
    fs::write(&path, "model = 'ollama:q'").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    refused(&home, "everybody may write to it");
}

#[test]
fn a_file_of_another_user_is_refused() {
    let home = Home::new();
    let path = user_file(&home);
    fs::write(&path, "model = 'ollama:q'").unwrap();
    open_to_all(home.work().parent().unwrap());
    if chown(&path, Some(NOBODY - 1), None).is_err() {
        println!("skipped: this user cannot give a file away");
        return;
    }
    let mut command = home.legwork(&["config", "show"]);
    match command.uid(NOBODY).gid(NOBODY).output() {
        Ok(output) => {
            let told = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{told}");
            assert!(told.contains("belongs to another user"), "{told}");
        }
        Err(error) => println!("skipped: the command cannot be run as another user: {error}"),
    }
}

#[test]
fn a_file_that_may_not_be_read_is_told() {
    let home = Home::new();
    let path = user_file(&home);
    fs::write(&path, "model = 'ollama:q'").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = home.legwork(&["config", "show"]);
    if fs::read(&path).is_ok() {
        // This user may read everything, so somebody else has to try.
        open_to_all(home.work().parent().unwrap());
        command.uid(NOBODY).gid(NOBODY);
    }
    match command.output() {
        Ok(output) => {
            let told = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{told}");
            assert!(told.contains("cannot be read: Permission denied"), "{told}");
        }
        Err(error) => println!("skipped: the command cannot be run as another user: {error}"),
    }
}

fn open_to_all(dir: &Path) {
    for dir in [dir, &dir.join(".config"), &dir.join(".config/legwork"), &dir.join("work")] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// The model that holds, by the file that says so.
fn model(told: Ran) -> (String, String) {
    let told: Value = told.ends(0).last();
    let model = &told["values"]["model"];
    let text = |field: &str| model[field].as_str().unwrap_or_default().to_owned();
    (text("value"), text("source"))
}

#[test]
fn another_file_of_the_user_can_be_named_and_has_to_be_there() {
    let home = Home::new();
    fs::write(user_file(&home), "model = 'a:usual'").unwrap();
    fs::write(home.work().join("other.toml"), "model = 'a:other'").unwrap();
    let show = ["config", "show", "--json"];
    let named = |name: &str| {
        let mut command = home.legwork(&show);
        command.env("LEGWORK_CONFIG", name);
        ran(command)
    };
    let user = "user_file".to_owned();
    assert_eq!(model(home.ran(&show)), ("a:usual".to_owned(), user.clone()));
    assert_eq!(model(named("other.toml")), ("a:other".to_owned(), user.clone()));
    assert_eq!(model(named("")), ("a:usual".to_owned(), user.clone()));
    assert_eq!(model(named("/dev/null")).1, "default");
    named("nosuch.toml").ends(2).says("there is no file of settings").says("LEGWORK_CONFIG");
    let mut command = home.legwork(&["--config", "other.toml", "config", "show", "--json"]);
    command.env("LEGWORK_CONFIG", "nosuch.toml");
    assert_eq!(model(ran(command)), ("a:other".to_owned(), user.clone()));
    let mut command = home.legwork(&show);
    command.env("XDG_CONFIG_HOME", home.work());
    assert_eq!(model(ran(command)).1, "default");
}

#[test]
fn a_project_is_looked_for_up_to_the_root_of_the_repository_and_no_further() {
    let home = Home::new();
    let deep = home.work().join("repo/a/b");
    fs::create_dir_all(&deep).unwrap();
    let put = |folder: &str, name: &str| {
        let text = format!("model = 'a:{name}'");
        fs::write(home.work().join(folder).join("legwork.toml"), text).unwrap();
    };
    let args = ["config", "show", "--json", "--dir", deep.to_str().unwrap()];
    let found = || model(home.ran(&args)).0;
    // So that its provider is one that the person names.
    home.settings("[providers.a]\nbase_url = 'http://127.0.0.1:1'\n");
    put("", "outside");
    put("repo", "root");
    // It is no repository yet, so what is above may be anybody's.
    assert_eq!(found(), "openai:gpt-5-mini");
    fs::create_dir(home.work().join("repo/.git")).unwrap();
    assert_eq!(found(), "openai:gpt-5-mini");
    home.ran(&["trust", "add", "repo/a"]).ends(0);
    assert_eq!(found(), "a:root");
    put("repo/a", "a");
    assert_eq!(found(), "a:a");
    put("repo/a/b", "b");
    assert_eq!(found(), "a:b");
    let told = home.ran(&["config", "path", "--json", "--dir", deep.to_str().unwrap()]).ends(0);
    let states: Vec<_> =
        told.events().iter().map(|file| file["state"].as_str().unwrap().to_owned()).collect();
    assert_eq!(states, ["read", "read", "passed_over", "passed_over"]);
    for name in ["repo/a/b", "repo/a", "repo"] {
        fs::remove_file(home.work().join(name).join("legwork.toml")).unwrap();
    }
    assert_eq!(found(), "openai:gpt-5-mini");
}

#[test]
fn one_file_is_not_both_the_users_and_the_projects() {
    let home = Home::new();
    home.project("sandbox = 'off'");
    let mut command = home.legwork(&["config", "show", "--json"]);
    command.env("LEGWORK_CONFIG", "legwork.toml");
    assert_eq!(ran(command).ends(0).last()["values"]["sandbox"]["source"], "user_file");
}

#[test]
fn a_key_file_of_another_user_is_refused() {
    let home = Home::new();
    let key = home.work().join("key");
    fs::write(&key, "sk-canary\n").unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    if chown(&key, Some(NOBODY - 1), None).is_err() {
        println!("skipped: this user cannot give a file away");
        return;
    }
    home.settings(&format!("[keys.openai]\nfile = '{}'", key.display()));
    let told = home.ran(&["run", "x"]).ends(2).says("belongs to another user");
    assert!(!told.err.contains("canary"), "{}", told.err);
}
