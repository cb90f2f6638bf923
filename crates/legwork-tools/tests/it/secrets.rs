//! No tool opens a secret, by any name.

use legwork_tools::secret::Secrets;
use legwork_tools::workspace::Access;
use legwork_tools::{Edit, List, Read, Search, Workspace, Write};

use crate::fixture::{Fixture, call, ok, refused};
use crate::random::Random;

/// Of a home, what is secret and what is not.
const SECRET: [&str; 6] =
    [".ssh/id_rsa", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", ".npmrc", ".gnupg/x/y"];
const PLAIN: [&str; 4] = [".bashrc", "src/main.rs", ".config/other", "netrc"];

fn home() -> Fixture {
    let place = Fixture::new();
    for name in SECRET.iter().chain(&PLAIN) {
        let above = place.path(name);
        std::fs::create_dir_all(above.parent().expect("a folder")).expect("made");
        place.write(name, if SECRET.contains(name) { "the secret" } else { "plain text" });
    }
    place
}

fn workspace(place: &Fixture) -> Workspace {
    let secrets = Secrets::of_machine(Some(&place.path("")));
    place.workspace().keep_out(&secrets).expect("kept out")
}

#[tokio::test]
async fn s13_3_a_secret_in_the_workspace_is_not_read_or_written() {
    let place = home();
    let workspace = workspace(&place);
    for name in SECRET {
        let text = refused!(Read::new(workspace.clone()), { "path": name });
        assert!(text.contains("holds keys or private records"), "{name}: {text}");
        let text = refused!(Write::new(workspace.clone()), { "path": name, "content": "lost" });
        assert!(text.contains("holds keys or private records"), "{name}: {text}");
        refused!(Edit::new(workspace.clone()), { "path": name, "old": "the", "new": "lost" });
        assert_eq!(place.bytes(name), b"the secret");
    }
    for name in PLAIN {
        assert!(ok!(Read::new(workspace.clone()), { "path": name }).contains("plain text"));
    }
    refused!(Write::new(workspace.clone()), { "path": ".ssh/authorized_keys", "content": "lost" });
    assert!(!place.path(".ssh/authorized_keys").exists());
    // Nor one that is not there yet.
    for name in [".azure/token", ".pgpass", ".config/op/config"] {
        refused!(Write::new(workspace.clone()), { "path": name, "content": "planted" });
        assert!(!place.path(name).exists(), "{name}");
    }
}

#[tokio::test]
async fn s13_3_a_secret_is_not_listed_or_searched() {
    let place = home();
    let workspace = workspace(&place);
    refused!(List::new(workspace.clone()), { "path": ".ssh" });
    let listed = ok!(List::new(workspace.clone()), { "path": ".", "depth": 5, "all": true });
    assert!(!listed.contains("id_rsa") && listed.contains("main.rs"), "{listed}");
    for arguments in [
        serde_json::json!({ "pattern": "the secret" }),
        serde_json::json!({ "pattern": "the secret", "path": ".config" }),
        serde_json::json!({ "pattern": "the secret", "path": ".config/gh" }),
        serde_json::json!({ "pattern": "the secret", "path": ".ssh" }),
        serde_json::json!({ "pattern": "the secret", "path": ".ssh/id_rsa" }),
    ] {
        let text = call(&Search::new(workspace.clone()), &arguments).await.to_text();
        let lines = text.lines().filter(|line| line.contains("the secret"));
        assert!(lines.clone().all(|line| line.starts_with("no match")), "{arguments}: {text}");
    }
    let plain = ok!(Search::new(workspace.clone()), { "pattern": "plain", "path": ".config" });
    assert!(plain.contains(".config/other"), "{plain}");
    // Nor does an error list the names next to one that does not exist.
    let text = refused!(Read::new(workspace), { "path": ".ssh/nothing" });
    assert!(!text.contains("id_rsa"), "{text}");
}

#[tokio::test]
async fn s13_3_no_other_name_opens_a_secret() {
    let place = home();
    let mut random = Random::new();
    for number in 0..30 {
        let (secret, name) = (*random.of(&SECRET), format!("name-{number}"));
        let asked = match random.below(5) {
            0 => {
                std::os::unix::fs::symlink(place.path(secret), place.path(&name)).expect("linked");
                name
            }
            1 => {
                std::os::unix::fs::symlink(secret, place.path(&name)).expect("linked");
                name
            }
            2 => {
                std::fs::hard_link(place.path(secret), place.path(&name)).expect("linked");
                name
            }
            3 => {
                let folder = place.path(secret).parent().expect("a folder").to_owned();
                std::os::unix::fs::symlink(folder, place.path(&name)).expect("linked");
                let last = place.path(secret).file_name().expect("a name").to_owned();
                format!("{name}/{}", last.to_string_lossy())
            }
            _ => format!("src/../{secret}"),
        };
        let workspace = workspace(&place);
        for arguments in [
            serde_json::json!({ "path": asked }),
            serde_json::json!({ "path": place.path(&asked) }),
        ] {
            let outcome = call(&Read::new(workspace.clone()), &arguments).await;
            let text = outcome.to_text();
            assert!(!outcome.is_ok() && !text.contains("the secret"), "{random:?} {asked}: {text}");
        }
        let arguments = serde_json::json!({ "pattern": "the secret" });
        let found = call(&Search::new(workspace.clone()), &arguments).await.to_text();
        assert!(!found.contains("name-"), "{random:?} {asked}: {found}");
        refused!(Write::new(workspace), { "path": asked.clone(), "content": "lost" });
        assert_eq!(place.bytes(secret), b"the secret", "{random:?} {asked}");
    }
}

#[tokio::test]
async fn s13_3_a_secret_is_opened_where_it_is_allowed_by_name() {
    let (home, place) = (home(), Fixture::new());
    let secrets = Secrets::of_machine(Some(&home.path("")));
    let allowed = |name: &str| {
        let workspace = place.workspace().allow(home.path(name), Access::ReadWrite);
        workspace.expect("allowed").keep_out(&secrets).expect("kept out")
    };
    let path = |name: &str| home.path(name).display().to_string();
    let above = allowed("");
    refused!(Read::new(above), { "path": path(".ssh/id_rsa") });
    let named = allowed(".ssh");
    ok!(Read::new(named.clone()), { "path": path(".ssh/id_rsa") });
    refused!(Read::new(named), { "path": path(".aws/credentials") });
    let own = Workspace::open(home.path(".aws")).expect("opened");
    ok!(Read::new(own.keep_out(&secrets).expect("kept out")), { "path": "credentials" });
    // One that is allowed opens nothing else of the same folder.
    let workspace = Workspace::open(home.path("")).expect("opened");
    let workspace = workspace.allow(home.path(".gnupg/x"), Access::ReadOnly).expect("allowed");
    let workspace = workspace.keep_out(&secrets).expect("kept out");
    ok!(Read::new(workspace.clone()), { "path": path(".gnupg/x/y") });
    home.write(".gnupg/z", "the secret");
    refused!(Read::new(workspace), { "path": path(".gnupg/z") });
}

/// A secret that is gone gives its inode to the next file that is made.
#[tokio::test]
async fn s13_3_what_takes_the_place_of_a_secret_on_the_disk_is_none() {
    let place = home();
    let workspace = workspace(&place);
    for name in SECRET {
        std::fs::remove_file(place.path(name)).expect("removed");
    }
    for number in 0..50 {
        let name = format!("plain-{number}");
        place.write(&name, "plain text");
        assert!(ok!(Read::new(workspace.clone()), { "path": name }).contains("plain text"));
    }
}
