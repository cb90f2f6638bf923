//! Which sandbox is taken, what it tells, and what a policy opens.

use std::path::Path;

use legwork_tools::sandbox::{Auto, Error, Landlock, Network, Policy};
use legwork_tools::{Bash, Environment, Sandbox};

use super::scene::{Scene, Walls, run, sandbox};
use crate::place::Place;

const BOTH: [Walls; 2] = [Walls::Bubblewrap, Walls::Landlock];

/// A `PATH` with a shell and no bubblewrap.
fn without_bubblewrap(place: &Place) -> Environment {
    std::os::unix::fs::symlink("/bin/sh", place.path("sh")).expect("linked");
    Environment::default().with("PATH", place.path(""))
}

#[test]
fn landlock_stands_in_and_its_gaps_are_told_once() {
    let (place, programs) = (Place::new(), Place::new());
    let environment = without_bubblewrap(&programs);
    if let Err(why) = Landlock::new(&environment).check(&place.path("")) {
        println!("skipped: {why}");
        return;
    }
    let sandbox = Sandbox::auto(&environment, Policy::default());
    let bash = Bash::new(place.workspace(), environment, sandbox);
    let text = run(&bash, "echo hi; echo kept >file");
    assert!(text.starts_with("hi\n[the sandbox here, landlock, does not hold: "), "{text}");
    assert!(text.contains(".git/hooks"), "{text}");
    assert_eq!(run(&bash, "read -r line <file; echo $line"), "kept\n");
}

#[test]
fn where_neither_works_it_says_why_of_each() {
    let programs = Place::new();
    let environment = without_bubblewrap(&programs);
    // What Landlock would have to hide lies in the workspace.
    let policy = Policy::default().with_hidden("/usr/bin");
    let auto = Auto::new(&environment, policy);
    let refused = auto.choose(Path::new("/usr")).map(|chosen| chosen.name().to_owned());
    let told = refused.map_err(|error| error.to_string()).expect_err("neither");
    for words in ["`bwrap` is not on the PATH", "Landlock", "--sandbox off"] {
        assert!(told.contains(words), "{told}");
    }
    assert!(matches!(auto.choose(Path::new("/")), Err(Error::Neither { .. })));
}

#[test]
fn what_a_policy_opens_is_open() {
    for walls in BOTH {
        let scene = Scene::new();
        let policy = scene.policy().with_network(Network::Host);
        let policy = policy.with_writable(scene.path("outside"));
        let policy = policy.with_readable(scene.path("home/secret"));
        let sandbox = sandbox(walls, &scene.environment(), policy);
        if let Err(why) = sandbox.confine(&scene.path("home/work"), vec!["true".into()]) {
            println!("skipped: {why}");
            continue;
        }
        let rules = sandbox.rules();
        let workspace = legwork_tools::Workspace::open(scene.path("home/work")).expect("opened");
        let bash = Bash::new(workspace, scene.environment(), Sandbox::By(sandbox));
        let port = scene.tcp.local_addr().expect("an address").port();
        let text = run(
            &bash,
            &format!(
                "(exec 3<>/dev/tcp/127.0.0.1/{port}) && cat ~/secret && echo new >{}/new; \
                 echo over >~/secret",
                scene.at("outside")
            ),
        );
        assert!(text.contains("the secret"), "{walls:?}: {text}");
        assert!(scene.tcp.accept().is_ok() && scene.path("outside/new").exists(), "{walls:?}");
        assert_eq!(std::fs::read(scene.path("home/secret")).expect("read"), b"the secret");
        assert!(rules.contains("network can be reached") && rules.contains("outside"), "{rules}");
    }
}

#[test]
fn the_private_directory_is_usable_and_goes() {
    for walls in BOTH {
        let scene = Scene::new();
        let command = "cd $TMPDIR && mkdir -p a/b && chmod 0 a && ln -s / root && mktemp -d && pwd";
        let Some(text) = scene.run(walls, command) else { continue };
        let lines: Vec<_> = text.lines().collect();
        assert!(
            lines.len() > 1 && lines.first().is_some_and(|made| made.contains("tmp.")),
            "{text}"
        );
        let temp = lines.get(1).expect("a second line");
        assert!(walls == Walls::Bubblewrap || !Path::new(temp).exists(), "{temp} is left");
        assert!(Path::new("/etc").is_dir(), "links are not followed");
    }
}

#[test]
fn repositories_of_all_shapes_keep_their_hooks() {
    let scene = Scene::new();
    let work = |name: &str| scene.path("home/work").join(name);
    let make = |name: &str| {
        for folder in ["objects", "refs"] {
            std::fs::create_dir_all(work(name).join(folder)).expect("made");
        }
        std::fs::write(work(name).join("HEAD"), "ref: refs/heads/main\n").expect("written");
        std::fs::write(work(name).join("config"), "[core]\n").expect("written");
    };
    for name in ["sub/.git", ".git/modules/deep/name", "elsewhere"] {
        make(name);
    }
    std::fs::create_dir(work("tree")).expect("made");
    std::fs::write(work("tree/.git"), "gitdir: ../elsewhere\n").expect("written");
    let attack = "for git in sub/.git .git/modules/deep/name elsewhere; do \
         touch $git/hooks/x; mkdir $git/hooks; touch $git/hooks/x; echo lost >>$git/config; \
         touch $git/ok; done; rm -f tree/.git; echo 'gitdir: ../mine' >tree/.git; echo over";
    let Some(text) = scene.run(Walls::Bubblewrap, attack) else { return };
    assert!(text.contains("over"), "{text}");
    for name in ["sub/.git", ".git/modules/deep/name", "elsewhere"] {
        assert!(work(name).join("ok").exists(), "{name} can be written else: {text}");
        assert!(!work(name).join("hooks/x").exists(), "{name}: {text}");
        assert_eq!(std::fs::read(work(name).join("config")).expect("read"), b"[core]\n", "{name}");
    }
    let pointer = std::fs::read(work("tree/.git")).expect("read");
    assert_eq!(pointer, b"gitdir: ../elsewhere\n");
}

#[test]
fn git_works_behind_walls_without_its_configuration_being_written() {
    let place = Place::new();
    let setup = "git init -q . && git config user.name A && git config user.email a@b";
    let text = run(&place.bash(), setup);
    if !place.path(".git/config").exists() {
        println!("skipped: git cannot be used ({text})");
        return;
    }
    let environment = crate::place::environment();
    let bash = Bash::new(place.workspace(), environment.clone(), Sandbox::bubblewrap(&environment));
    let text = run(
        &bash,
        "echo a >a && git add a && git commit -qm one && git checkout -qb other && git log --oneline | wc -l",
    );
    if text.starts_with("no command is run") {
        println!("skipped: {text}");
        return;
    }
    assert_eq!(text, "1\n");
}

#[test]
fn calls_that_no_build_needs_are_refused() {
    let calls = [
        libc::SYS_ioctl,
        libc::SYS_bpf,
        libc::SYS_io_uring_setup,
        libc::SYS_keyctl,
        libc::SYS_userfaultfd,
        libc::SYS_open_by_handle_at,
    ];
    for call in calls {
        let scene = Scene::new();
        let attack = scene.helper("refused", &call.to_string());
        for walls in BOTH {
            let Some(text) = scene.run(walls, &attack) else { continue };
            assert!(text.contains("1 passed") && !text.contains("ESCAPED"), "{call}: {text}");
        }
        let text = scene.run(Walls::None, &attack).expect("no walls");
        // A machine may refuse some of them itself; to push into a terminal, none does.
        let reached = text.contains("ESCAPED") || call != libc::SYS_ioctl;
        assert!(reached, "{call} without walls: {text}");
    }
}

#[test]
fn a_datagram_pair_reaches_no_server() {
    let scene = Scene::new();
    let path = scene.path("outside/datagram");
    let _server = std::os::unix::net::UnixDatagram::bind(&path).expect("bound");
    let attack = scene.helper("datagram", &scene.at("outside/datagram"));
    for walls in [Walls::None, Walls::Bubblewrap, Walls::Landlock] {
        let Some(text) = scene.run(walls, &attack) else { continue };
        assert!(text.contains("1 passed"), "{walls:?}: {text}");
        assert_eq!(text.contains("ESCAPED"), walls == Walls::None, "{walls:?}: {text}");
    }
}

#[test]
fn the_network_opens_no_abstract_socket() {
    for walls in BOTH {
        let scene = Scene::new();
        let policy = scene.policy().with_network(Network::Host);
        let sandbox = sandbox(walls, &scene.environment(), policy);
        if let Err(why) = sandbox.confine(&scene.path("home/work"), vec!["true".into()]) {
            println!("skipped: {why}");
            continue;
        }
        let gap = sandbox.gaps().iter().any(|gap| gap.contains("abstract sockets"));
        let workspace = legwork_tools::Workspace::open(scene.path("home/work")).expect("opened");
        let bash = Bash::new(workspace, scene.environment(), Sandbox::By(sandbox));
        let name = scene.at("");
        let text = run(&bash, &scene.helper("abstract", name.trim_end_matches('/')));
        assert!(text.contains("1 passed"), "{walls:?}: {text}");
        assert_eq!(scene.abstracted.accept().is_ok(), gap, "{walls:?}: {text}");
    }
}

#[test]
fn a_repository_with_a_link_for_hooks_is_read_only() {
    let scene = Scene::new();
    let git = scene.path("home/work/.git");
    std::fs::remove_dir(git.join("hooks")).expect("removed");
    std::fs::create_dir(scene.path("home/work/scripts")).expect("made");
    std::os::unix::fs::symlink("../scripts", git.join("hooks")).expect("linked");
    let attack = "rm .git/hooks; mkdir .git/hooks; touch .git/hooks/x .git/y; echo over";
    let Some(text) = scene.run(Walls::Bubblewrap, attack) else { return };
    assert!(text.contains("over") && text.contains("Read-only"), "{text}");
    assert!(git.join("hooks").is_symlink() && !git.join("y").exists(), "{text}");
}

#[test]
fn links_that_a_command_leaves_open_nothing_to_the_next() {
    let scene = Scene::new();
    let up = "../".repeat(scene.path("home/work").components().count() - 1);
    // A repository whose parts lead, by one way or another, to what is hidden.
    let attack = format!(
        "for way in {home} ../../../secret ../../..{up}{home}; do mkdir -p sub/.git/objects; \
         echo x >sub/.git/HEAD; ln -sfn $way sub/.git/config; ln -sfn $(dirname $way) sub/.git/hooks; \
         done; echo made",
        home = scene.at("home/secret")
    );
    let Some(text) = scene.run(Walls::Bubblewrap, &attack) else { return };
    assert!(text.contains("made"), "{text}");
    let read = "cat sub/.git/config sub/.git/hooks/secret; ls sub/.git/hooks; echo over";
    let text = scene.run(Walls::Bubblewrap, read).expect("walls");
    assert!(text.contains("over") && !text.contains("the secret"), "{text}");
}
