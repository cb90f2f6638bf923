//! Secrets in what commands see, by any name and at any time.

use std::path::Path;
use std::sync::Arc;

use legwork_port as port;
use legwork_tools::{Bash, Sandbox, Workspace};

use super::scene::{Scene, Walls, as_nobody, run, sandbox};
use crate::random::Random;

/// Of a home, what is secret.
const SECRET: [&str; 6] =
    [".ssh/id_rsa", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", ".npmrc", ".gnupg/x/y"];

fn write(home: &Path, name: &str) {
    let place = home.join(name);
    std::fs::create_dir_all(place.parent().expect("a folder")).expect("made");
    // By another file that takes its name, as editors do.
    let draft = home.join("draft");
    std::fs::write(&draft, "key of a person").expect("written");
    std::fs::rename(draft, place).expect("moved");
}

/// A shell that works in the home itself.
fn at_home(scene: &Scene, walls: Walls) -> Result<(Bash, Arc<dyn port::Sandbox>), String> {
    let home = scene.path("home");
    let walls = sandbox(walls, &scene.environment(), scene.policy());
    walls.confine(&home, vec!["true".into()]).map_err(|error| error.to_string())?;
    let workspace = Workspace::open(home).expect("opened");
    Ok((Bash::new(workspace, scene.environment(), Sandbox::By(Arc::clone(&walls))), walls))
}

fn hard_links_are_hidden() {
    let scene = Scene::new();
    let home = scene.path("home");
    let mut random = Random::new();
    let folders =
        ["", "src", "src/deep/a/b/c/d/e", "node_modules/x", ".config", ".git/hooks", ".ssh"];
    SECRET.iter().for_each(|name| write(&home, name));
    for number in 0..20 {
        let folder = home.join(random.of(&folders));
        std::fs::create_dir_all(&folder).expect("made");
        let name = folder.join(format!("name-{number}"));
        std::fs::hard_link(home.join(random.of(&SECRET)), name).expect("linked");
    }
    let (bash, _) = match at_home(&scene, Walls::Bubblewrap) {
        Ok(made) => made,
        Err(why) => return println!("skipped: {why}"),
    };
    let text = run(&bash, "cat $(find . -name 'name-*'); grep -r 'key of a person' .; echo over");
    assert!(text.contains("over") && text.contains("name-"), "{random:?}: {text}");
    assert!(!text.contains("key of a person"), "{random:?}: {text}");
    let text = run(
        &bash,
        "for f in $(find . -name 'name-*'); do echo lost >$f; mv $f moved; done; echo over",
    );
    assert!(text.contains("over"), "{random:?}: {text}");
    for name in SECRET {
        let now = std::fs::read(home.join(name)).expect("read");
        assert_eq!(now, b"key of a person", "{random:?} {name}: {text}");
    }
}

#[test]
fn s13_3_no_other_name_of_a_secret_is_seen_by_a_command() {
    hard_links_are_hidden();
}

#[test]
fn s13_3_no_other_name_is_seen_as_an_ordinary_user() {
    let test = concat!(module_path!(), "::s13_3_no_other_name_is_seen_as_an_ordinary_user");
    as_nobody(test, hard_links_are_hidden);
}

#[test]
fn s13_3_a_secret_that_comes_or_is_replaced_is_hidden_from_the_next_command() {
    let scene = Scene::new();
    let home = scene.path("home");
    write(&home, ".ssh/id_rsa");
    let (bash, _) = match at_home(&scene, Walls::Bubblewrap) {
        Ok(made) => made,
        Err(why) => return println!("skipped: {why}"),
    };
    for round in 0..3 {
        for name in SECRET {
            write(&home, name);
            let text = run(&bash, &format!("cat {name}; grep -rs 'key of a person' .; echo over"));
            assert!(text.contains("over"), "{round} {name}: {text}");
            assert!(!text.contains("key of a person"), "{round} {name}: {text}");
        }
        std::fs::remove_dir_all(home.join(".config")).expect("removed");
        std::fs::remove_file(home.join(".netrc")).expect("removed");
    }
    // By a link, too.
    std::fs::remove_file(home.join(".npmrc")).expect("removed");
    std::fs::create_dir(home.join("dotfiles")).expect("made");
    write(&home, "dotfiles/npmrc");
    std::os::unix::fs::symlink("dotfiles/npmrc", home.join(".npmrc")).expect("linked");
    let text = run(&bash, "cat .npmrc dotfiles/npmrc; echo over");
    assert!(text.contains("over") && !text.contains("key of a person"), "{text}");
}

#[test]
fn s13_3_a_secret_of_a_toolchain_that_comes_or_goes_is_hidden_from_the_next_command() {
    const NAME: &str = ".cargo/credentials.toml";
    for (walls, is_there) in
        [Walls::Bubblewrap, Walls::Landlock].into_iter().flat_map(|w| [(w, false), (w, true)])
    {
        let scene = Scene::new();
        let home = scene.path("home");
        let seen = home.join(".cargo/registry");
        std::fs::create_dir_all(&seen).expect("made");
        std::fs::write(seen.join("index"), "seen").expect("written");
        if is_there {
            write(&home, NAME);
        }
        let bash = match scene.bash(walls) {
            Ok(bash) => bash,
            Err(why) => return println!("skipped: {why}"),
        };
        let command = format!("cat {0}/index; cat {1}", seen.display(), home.join(NAME).display());
        for round in 0..3 {
            let text = run(&bash, &command);
            assert!(text.starts_with("seen"), "{walls:?} {is_there} {round}: {text}");
            assert!(!text.contains("key of a person"), "{walls:?} {is_there} {round}: {text}");
            match home.join(NAME).exists() {
                true => std::fs::remove_file(home.join(NAME)).expect("removed"),
                false => write(&home, NAME),
            }
        }
    }
}

#[test]
fn s13_3_a_secret_that_was_a_link_is_hidden_when_it_is_a_file() {
    const NAME: &str = ".cargo/credentials.toml";
    for walls in [Walls::Bubblewrap, Walls::Landlock] {
        let scene = Scene::new();
        let home = scene.path("home");
        write(&home, "dotfiles/credentials");
        std::fs::create_dir_all(home.join(".cargo/registry")).expect("made");
        std::os::unix::fs::symlink("../dotfiles/credentials", home.join(NAME)).expect("linked");
        let bash = match scene.bash(walls) {
            Ok(bash) => bash,
            Err(why) => return println!("skipped: {why}"),
        };
        let command = format!("cat {}; echo over", home.join(NAME).display());
        for round in 0..2 {
            let text = run(&bash, &command);
            assert!(text.contains("over"), "{walls:?} {round}: {text}");
            assert!(!text.contains("key of a person"), "{walls:?} {round}: {text}");
            write(&home, NAME);
        }
    }
}

#[test]
fn s13_3_what_is_allowed_in_a_secret_folder_is_seen_and_nothing_else_of_it() {
    for walls in [Walls::Bubblewrap, Walls::Landlock] {
        let scene = Scene::new();
        let home = scene.path("home");
        write(&home, ".config/gh/hosts.yml");
        write(&home, ".config/gh/state.yml");
        write(&home, ".config/gh/tools/bin/tool");
        write(&home, ".config/gh/tools/credentials");
        let policy = scene.policy().with_readable(home.join(".config"));
        let policy = policy.with_readable(home.join(".config/gh/hosts.yml"));
        let policy = policy.with_readable(home.join(".config/gh/tools"));
        let sandbox = sandbox(walls, &scene.environment(), policy);
        let root = scene.path("home/work");
        if let Err(why) = sandbox.confine(&root, vec!["true".into()]) {
            return println!("skipped: {why}");
        }
        let workspace = Workspace::open(root).expect("opened");
        let bash = Bash::new(workspace, scene.environment(), Sandbox::By(sandbox));
        let read = |name: &str| run(&bash, &format!("cat {}", home.join(name).display()));
        assert!(read(".config/gh/hosts.yml").starts_with("key of a person"), "{walls:?}");
        assert!(read(".config/gh/tools/bin/tool").starts_with("key of a person"), "{walls:?}");
        for hidden in [".config/gh/state.yml", ".config/gh/tools/credentials"] {
            assert!(!read(hidden).contains("key of a person"), "{walls:?} {hidden}");
        }
    }
}

#[test]
fn s13_3_landlock_refuses_a_workspace_in_which_a_secret_comes_to_lie() {
    let scene = Scene::new();
    let home = scene.path("home");
    let (bash, walls) = match at_home(&scene, Walls::Landlock) {
        Ok(made) => made,
        Err(why) => return println!("skipped: {why}"),
    };
    assert!(run(&bash, "echo over").contains("over"));
    write(&home, ".netrc");
    let why = walls.confine(&home, vec!["true".into()]).expect_err("refused").to_string();
    assert!(why.contains(".netrc lies in what commands may write"), "{why}");
    std::fs::remove_file(home.join(".netrc")).expect("removed");
    assert!(run(&bash, "echo over").contains("over"));
    // By another name than its own.
    let scene = Scene::new();
    let home = scene.path("home");
    write(&home, ".netrc");
    std::fs::hard_link(home.join(".netrc"), home.join("work/notes")).expect("linked");
    let walls = sandbox(Walls::Landlock, &scene.environment(), scene.policy());
    let refused = walls.confine(&scene.path("home/work"), vec!["true".into()]);
    let why = refused.expect_err("refused").to_string();
    assert!(why.contains("notes lies in what commands may write"), "{why}");
}
