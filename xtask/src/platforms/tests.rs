use super::*;

fn names(text: &str) -> Vec<(usize, &'static str)> {
    code::of_a_system(text)
}

#[test]
fn what_one_system_has_is_found() {
    for (text, name) in [
        ("use std::os::fd::OwnedFd;", "os::fd"),
        ("use std::{fs, os::unix::fs::MetadataExt as _};", "os::unix"),
        ("    let id = unsafe { libc::getpid() };", "libc::"),
        ("rustix::process::getuid()", "rustix::"),
        ("let user = nix::unistd::getuid();", "nix::"),
        ("File::open(\"/proc/self/stat\")", "\"/proc/"),
        ("Path::new(\"/dev\")", "\"/dev\""),
        ("use tokio::signal::unix::signal;", "signal::unix"),
        ("use std::os::windows::fs::OpenOptionsExt;", "os::windows"),
    ] {
        assert_eq!(names(text), [(1, name)], "{text}");
    }
}

#[test]
fn what_a_cfg_chooses_and_what_is_none_of_it_is_not() {
    for text in [
        "#[cfg(unix)]\nuse std::os::fd::OwnedFd;",
        "#[cfg(target_os = \"linux\")]\n#[inline]\nfn id(\n    of: u32,\n) -> u32 {\n    libc::id(of)\n}",
        "fn f() {\n    #[cfg(unix)]\n    std::os::unix::a(\n        1,\n    );\n}",
        "struct S {\n    #[cfg(unix)]\n    /// A doc;\n    a: std::os::fd::OwnedFd,\n}",
        "#![cfg(unix)]\nuse std::os::fd::OwnedFd;",
        "#[cfg(test)]\nmod tests {\n    use std::os::fd::OwnedFd;\n}",
        "// As libc::getpid does, of /proc.\n/// `\"/proc\"`",
        "use unix::fs; use mylibc::getpid; b(\"a/proc\", \"/process\");",
    ] {
        assert_eq!(names(text), [], "{text}");
    }
}

#[test]
fn a_cfg_reaches_no_further_than_its_item() {
    let text = "#[cfg(unix)]\nfn a() {\n    libc::a();\n}\n\nfn b() {\n    libc::b();\n}";
    assert_eq!(names(text), [(7, "libc::")]);
    let text = "fn f() {\n    #[cfg(unix)]\n    a();\n    libc::b();\n}";
    assert_eq!(names(text), [(4, "libc::")]);
    assert_eq!(names("#[cfg(feature = \"sqlite\")]\nuse std::os::fd::OwnedFd;").len(), 1);
}

#[test]
fn a_name_in_a_portable_crate_and_a_stale_exception_are_told() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let mut sources: Vec<_> =
        EXCEPTIONS.iter().map(|it| source(it.file, &format!("a({}x\");", it.names))).collect();
    assert_eq!(in_code(&sources), Vec::<String>::new());
    sources.push(source("crates/legwork-tools/src/lib.rs", "libc::getpid()"));
    sources.push(source("crates/legwork-core/src/a/tests.rs", "libc::getpid()"));
    assert_eq!(in_code(&sources), Vec::<String>::new());
    sources.push(source("crates/legwork-core/src/lib.rs", "\nlibc::getpid()"));
    let wrong = in_code(&sources);
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].starts_with("crates/legwork-core/src/lib.rs:2: `libc::`"), "{wrong:?}");
    assert_eq!(in_code(&[]).len(), EXCEPTIONS.len());
}

#[test]
fn a_crate_of_one_system_is_told_unless_it_is_for_that_system() {
    let package = |name: &str, dependency: serde_json::Value| -> Package {
        let package = serde_json::json!({"name": name, "dependencies": [dependency]});
        serde_json::from_value(package).unwrap()
    };
    let libc = serde_json::json!({"name": "libc", "kind": null});
    assert_eq!(in_dependencies(&package("legwork-core", libc.clone())).len(), 1);
    assert!(in_dependencies(&package("legwork-tools", libc)).is_empty());
    for fine in [
        serde_json::json!({"name": "libc", "kind": "dev"}),
        serde_json::json!({"name": "libc", "kind": null, "target": "cfg(unix)"}),
        serde_json::json!({"name": "serde", "kind": null}),
        serde_json::json!({"name": "legwork-tools", "kind": null, "optional": true}),
    ] {
        assert!(in_dependencies(&package("legwork", fine)).is_empty());
    }
    let tools = serde_json::json!({"name": "legwork-tools", "kind": null});
    assert_eq!(in_dependencies(&package("legwork", tools)).len(), 1);
    assert!(in_program("landlock v0.4.0").is_some() && in_program("tokio v1.0.0").is_none());
}
