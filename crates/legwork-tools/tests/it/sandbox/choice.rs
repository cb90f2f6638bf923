//! Which sandbox is chosen, what it reports, and what a policy opens.

use std::path::Path;

use legwork_port as port;
use legwork_testkit::conformance;
use legwork_tools::sandbox::{Auto, Bubblewrap, Error, Landlock, Network, Policy};
use legwork_tools::{Bash, Environment, Sandbox};

use super::scene::{Scene, Walls, run, sandbox};
use crate::fixture::Fixture;

const BOTH: [Walls; 2] = [Walls::Bubblewrap, Walls::Landlock];

/// A `PATH` with a shell and no bubblewrap.
fn without_bubblewrap(place: &Fixture) -> Environment {
    std::os::unix::fs::symlink("/bin/sh", place.path("sh")).expect("linked");
    Environment::default().with("PATH", place.path(""))
}

#[test]
fn landlock_replaces_it_and_its_gaps_are_reported_once() {
    let (place, programs) = (Fixture::new(), Fixture::new());
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
fn s13_4_what_a_workspace_holds_never_decides_which_sandbox_is_taken() {
    let programs = Fixture::new();
    let environment = without_bubblewrap(&programs);
    if Landlock::new(&environment).abi().is_err() {
        println!("skipped: no Landlock");
        return;
    }
    // What Landlock would have to hide lies in the workspace; it stays the one that is taken.
    let policy = Policy::default().with_hidden("/usr/bin");
    let auto = Auto::new(&environment, policy);
    let refused = auto.choose(Path::new("/usr")).map(|chosen| chosen.name().to_owned());
    let report = refused.map_err(|error| error.to_string()).expect_err("exposed");
    for words in ["`bwrap` is not on the PATH", "Landlock: /usr/bin lies", "--sandbox off"] {
        assert!(report.contains(words), "{report}");
    }
    assert!(matches!(auto.choose(Path::new("/")), Err(Error::TooWide { .. })));
    let place = Fixture::new();
    let chosen = auto.choose(&place.path("")).map(|chosen| chosen.name().to_owned());
    assert_eq!(chosen.expect("chosen"), "landlock");
}

#[test]
fn s13_4_a_huge_or_odd_tree_keeps_bubblewrap() {
    let scene = Scene::new();
    let work = |name: &str| scene.path("home/work").join(name);
    for number in 0..1_500 {
        for folder in ["objects", "hooks"] {
            let git = work(".git/modules").join(format!("module-{number}"));
            std::fs::create_dir_all(git.join(folder)).expect("made");
            std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("written");
            std::fs::write(git.join("config"), "[core]\n").expect("written");
        }
    }
    // Files where folders are expected, and the other way round.
    std::fs::remove_dir(work(".git/hooks")).expect("removed");
    std::fs::write(work(".git/hooks"), "").expect("written");
    std::fs::create_dir(work(".git/config.worktree")).expect("made");
    std::fs::create_dir_all(work("odd/.git/HEAD")).expect("made");
    std::fs::create_dir_all(work("pointer")).expect("made");
    std::fs::write(work("pointer/.git"), [0xff_u8; 9_000]).expect("written");
    if sandbox(Walls::Bubblewrap, &scene.environment(), scene.policy())
        .confine(&work(""), vec!["true".into()])
        .is_err()
    {
        println!("skipped: no bubblewrap");
        return;
    }
    let auto = Auto::new(&scene.environment(), scene.policy());
    let chosen = auto.choose(&work("")).map(|chosen| chosen.name().to_owned());
    assert_eq!(chosen.expect("chosen"), "bubblewrap");
    let attack = "for number in 0 700 1499; do echo lost >>.git/modules/module-$number/config; \
         done; echo lost >>.git/hooks; echo over";
    let text = scene.run(Walls::Bubblewrap, attack).expect("walls");
    assert!(text.contains("over"), "{text}");
    for number in [0, 700, 1_499] {
        let config = work(".git/modules").join(format!("module-{number}/config"));
        assert_eq!(std::fs::read(config).expect("read"), b"[core]\n", "{number}: {text}");
    }
    assert_eq!(std::fs::read(work(".git/hooks")).expect("read"), b"", "{text}");
}

#[test]
fn what_a_policy_opens_is_open() {
    for walls in BOTH {
        let scene = Scene::new();
        let policy = scene.policy().with_network(Network::All);
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
fn git_works_behind_walls_without_its_configuration_being_written() {
    let place = Fixture::new();
    let setup = "git init -q . && git config user.name A && git config user.email a@b";
    let text = run(&place.bash(), setup);
    if !place.path(".git/config").exists() {
        println!("skipped: git cannot be used ({text})");
        return;
    }
    let environment = crate::fixture::environment();
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
fn the_network_opens_no_abstract_socket() {
    for walls in BOTH {
        let scene = Scene::new();
        let policy = scene.policy().with_network(Network::All);
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

/// The suite of the port, on a sandbox that works here.
async fn check<S: port::Sandbox + 'static>(make: impl Fn(&Environment) -> S) {
    let place = Fixture::new();
    let environment = Environment::filtered(std::env::vars_os());
    let works = make(&environment).confine(&place.path(""), vec!["true".into()]);
    if let Err(port::sandbox::Error::Unavailable(why)) = works {
        return println!("skipped: {why}");
    }
    let make = async || make(&environment);
    let checked = conformance::sandbox::check(make, &place.path("")).await;
    assert_eq!(checked.map_err(|violations| violations.to_string()), Ok(()));
}

#[tokio::test]
async fn bubblewrap_keeps_the_promises_of_the_port() {
    check(Bubblewrap::new).await;
}

#[tokio::test]
async fn landlock_keeps_the_promises_of_the_port() {
    check(Landlock::new).await;
}

#[tokio::test]
async fn the_one_that_works_keeps_the_promises_of_the_port() {
    check(|environment| Auto::new(environment, Policy::default())).await;
}
