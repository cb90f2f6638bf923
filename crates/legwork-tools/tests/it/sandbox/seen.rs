//! What a command sees: only a list of what the machine holds.

use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use legwork_tools::sandbox::Policy;
use legwork_tools::{Bash, Environment, Sandbox, Workspace};

use super::helper::ESCAPED;
use super::scene::{Scene, Walls, as_nobody, is_root, run, sandbox};
use crate::random::Random;

const BOTH: [Walls; 2] = [Walls::Bubblewrap, Walls::Landlock];

/// Where programs of the machine keep sockets, pipes and files.
const ELSEWHERE: [&str; 11] = [
    "/srv",
    "/opt",
    "/mnt",
    "/media",
    "/var/lib",
    "/var/spool",
    "/var/log",
    "/var/tmp",
    "/tmp",
    "/run",
    "/etc",
];

/// A bash behind walls that sees an environment; none where there are no such walls.
fn shell(scene: &Scene, walls: Walls, environment: Environment, policy: Policy) -> Option<Bash> {
    let root = scene.path("home/work");
    let sandbox = sandbox(walls, &environment, policy);
    if let Err(why) = sandbox.confine(&root, vec!["true".into()]) {
        println!("skipped: {why}");
        return None;
    }
    let workspace = Workspace::open(root).expect("opened");
    Some(Bash::new(workspace, environment, Sandbox::By(sandbox)))
}

/// A socket, a named pipe and a file of another program.
struct Service {
    dir: tempfile::TempDir,
    socket: UnixListener,
    pipe: std::fs::File,
}

impl Service {
    fn within(place: &str) -> Option<Self> {
        let dir = tempfile::tempdir_in(place).ok()?;
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o666),
            0,
        )
        .expect("made");
        let mut options = std::fs::OpenOptions::new();
        let options = options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let pipe = options.open(&pipe).expect("opened");
        let socket = UnixListener::bind(dir.path().join("socket")).expect("bound");
        socket.set_nonblocking(true).expect("set");
        std::fs::write(dir.path().join("file"), "the secret").expect("written");
        Some(Self { dir, socket, pipe })
    }

    fn reached(&mut self) -> bool {
        self.socket.accept().is_ok() || self.pipe.read(&mut [0; 9]).is_ok_and(|read| read > 0)
    }
}

fn services(walls: Walls) {
    let scene = Scene::new();
    for place in ELSEWHERE {
        let Some(mut service) = Service::within(place) else { continue };
        let at = |name: &str| service.dir.path().join(name).display().to_string();
        let attack = format!(
            "echo lost 1<>{}; cat {}; {}; echo over",
            at("pipe"),
            at("file"),
            scene.helper("socket", &at("socket"))
        );
        let text = scene.run(walls, &attack);
        let Some(text) = text else { return };
        assert!(text.contains("over"), "{place}: {text}");
        assert!(!service.reached(), "{walls:?} {place}: {text}");
        assert!(
            !text.contains("the secret") && !text.contains(ESCAPED),
            "{walls:?} {place}: {text}"
        );
        let text = scene.run(Walls::None, &attack).expect("no walls");
        assert!(service.reached() && text.contains("the secret"), "{place}: {text}");
    }
}

#[test]
fn s13_2_no_socket_pipe_or_file_of_another_program_is_reached() {
    BOTH.into_iter().for_each(services);
}

#[test]
fn s13_2_no_socket_pipe_or_file_as_an_ordinary_user() {
    let test = concat!(module_path!(), "::s13_2_no_socket_pipe_or_file_as_an_ordinary_user");
    as_nobody(test, || BOTH.into_iter().for_each(services));
}

#[test]
fn s13_2_nothing_of_the_machine_can_be_changed_by_a_file_of_the_kernel() {
    if !is_root() {
        println!("skipped: not root");
        return;
    }
    let attack = format!(
        "for file in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger \
         $(find /proc/sys /proc/irq /proc/bus /proc/fs /sys -type f 2>/dev/null); do \
         (exec 3>>$file) 2>/dev/null && echo {ESCAPED} $file; done; echo over"
    );
    for walls in BOTH {
        let scene = Scene::new();
        let Some(text) = scene.run(walls, &attack) else { continue };
        assert!(text.contains("over") && !text.contains(ESCAPED), "{walls:?}: {text}");
    }
}

#[test]
fn s13_2_no_capability_is_kept() {
    for walls in BOTH {
        let scene = Scene::new();
        let Some(text) = scene.run(walls, "grep -h ^Cap /proc/self/status") else { continue };
        let zero = |line: &str| line.ends_with("\t0000000000000000");
        assert_eq!(text.lines().filter(|line| line.starts_with("Cap")).count(), 5, "{text}");
        assert!(text.lines().filter(|line| line.starts_with("Cap")).all(zero), "{walls:?}: {text}");
    }
}

/// The root of the file system, behind bubblewrap, holds what is listed and no more.
#[test]
fn s13_2_the_root_holds_what_is_listed() {
    let scene = Scene::new();
    let listed = [
        "bin", "dev", "etc", "gnu", "home", "lib", "lib32", "lib64", "libx32", "nix", "proc",
        "root", "run", "sbin", "sys", "tmp", "usr", "var",
    ];
    let Some(text) = scene.run(Walls::Bubblewrap, "ls -A /; echo over; ls -A /run /srv") else {
        return;
    };
    let (root, rest) = text.split_once("over\n").expect("a list");
    // What the `PATH` of this machine names may lie elsewhere.
    let path = std::env::var("PATH").expect("a path");
    let of_path = |name: &str| path.contains(&format!("/{name}/"));
    for name in root.split_whitespace() {
        assert!(listed.contains(&name) || of_path(name), "{name}: {text}");
    }
    assert!(rest.contains("/srv") && rest.contains("No such file"), "{text}");
}

/// The variables that name toolchains.
const VARIABLES: [&str; 6] =
    ["VIRTUAL_ENV", "GOPATH", "GOROOT", "JAVA_HOME", "CARGO_HOME", "RUSTUP_HOME"];

/// Places that a variable may name, each of which would show what is hidden.
fn wide(scene: &Scene) -> Vec<PathBuf> {
    let mut all: Vec<_> = ["/", "/home", "/root", "/srv", "/var", "/run", "/etc", "/proc", "/tmp"]
        .map(PathBuf::from)
        .into();
    for name in
        ["", "home", "home/work", "home/work/link", "home/work/link/bin", "home/work/venv", "owner"]
    {
        all.push(scene.path(name));
    }
    all
}

#[test]
fn s13_2_a_variable_shows_only_places_of_toolchains() {
    let mut random = Random::new();
    for walls in BOTH {
        let scene = Scene::new();
        let work = |name: &str| scene.path("home/work").join(name);
        std::os::unix::fs::symlink(scene.path("home"), work("link")).expect("linked");
        std::fs::create_dir_all(work("venv/bin")).expect("made");
        std::fs::create_dir_all(scene.path("home/.ssh")).expect("made");
        std::fs::write(scene.path("home/.ssh/id"), "the secret").expect("written");
        std::fs::write(scene.path("outside/file"), "the secret").expect("written");
        // A home that the workspace does not lie in.
        std::fs::create_dir(scene.path("owner")).expect("made");
        std::fs::write(scene.path("owner/file"), "the secret").expect("written");
        let wide = wide(&scene);
        for _ in 0..10 {
            let owner = *random.of(&["home", "owner"]);
            let mut environment = scene.environment().with("HOME", scene.path(owner));
            for name in VARIABLES {
                environment = environment.with(name, random.of(&wide));
            }
            environment = environment.with(*random.of(&VARIABLES), scene.path(owner));
            let mut path = std::env::var("PATH").expect("a path");
            for _ in 0..random.below(4) {
                path = format!("{path}:{}", random.of(&wide).display());
            }
            environment = environment.with("PATH", path);
            let report = format!("{random:?} {environment:?}");
            let Some(bash) = shell(&scene, walls, environment, scene.policy()) else { break };
            // What the variables name is re-pointed, and then looked at by the next command.
            let (home, outside) = (scene.at("home"), scene.at("outside"));
            let owner = scene.at(owner);
            run(&bash, &format!("rm -rf venv; ln -s {home} venv; rm link; ln -s {outside} link"));
            let text = run(
                &bash,
                &format!(
                    "cat {home}/secret {home}/.ssh/id {outside}/file {owner}/file venv/secret link/file; echo over"
                ),
            );
            assert!(
                text.contains("over") && !text.contains("the secret"),
                "{walls:?} {report}: {text}"
            );
            std::fs::remove_file(work("venv")).expect("removed");
            std::fs::create_dir_all(work("venv/bin")).expect("made");
        }
    }
}

#[test]
fn s13_1_an_allowed_path_that_a_command_can_lead_elsewhere_is_refused() {
    for walls in BOTH {
        let scene = Scene::new();
        let work = |name: &str| scene.path("home/work").join(name);
        std::fs::create_dir(work("data")).expect("made");
        std::os::unix::fs::symlink(scene.path("home"), work("link")).expect("linked");
        for name in ["link", "link/secret", "data/../link/work"] {
            for policy in
                [scene.policy().with_readable(work(name)), scene.policy().with_writable(work(name))]
            {
                let sandbox = sandbox(walls, &scene.environment(), policy);
                let refused = sandbox.confine(&work(""), vec!["true".into()]);
                let Err(why) = refused.map(drop) else { panic!("{walls:?} {name} is allowed") };
                let why = why.to_string();
                assert!(why.contains("leads through the link"), "{walls:?} {name}: {why}");
            }
        }
    }
}

#[test]
fn s13_1_a_place_below_another_that_is_moved_within_a_run_is_not_used() {
    for walls in [Walls::Bubblewrap, Walls::Landlock] {
        let scene = Scene::new();
        let (above, below) = (scene.path("outside"), scene.path("outside/below"));
        std::fs::create_dir(&below).expect("made");
        let policy = scene.policy().with_readable(&above).with_readable(&below);
        let sandbox = sandbox(walls, &scene.environment(), policy);
        let confine = || sandbox.confine(&scene.path("home/work"), vec!["true".into()]);
        if let Err(why) = confine() {
            return println!("skipped: {why}");
        }
        std::fs::rename(&below, scene.path("outside/moved")).expect("moved");
        std::os::unix::fs::symlink("/etc", &below).expect("linked");
        let why = confine().expect_err("refused").to_string();
        assert!(why.contains("outside/below"), "{walls:?}: {why}");
    }
}

#[test]
fn s13_1_a_place_that_is_moved_within_a_run_is_not_used() {
    for walls in BOTH {
        for (allowed, writable) in [("outside/a", false), ("outside/a", true)] {
            let scene = Scene::new();
            std::fs::create_dir(scene.path("outside/a")).expect("made");
            let place = scene.path(allowed);
            let policy = match writable {
                true => scene.policy().with_writable(&place),
                false => scene.policy().with_readable(&place),
            };
            let Some(bash) = shell(&scene, walls, scene.environment(), policy) else { break };
            assert!(run(&bash, "echo over").starts_with("over\n"));
            std::fs::rename(&place, scene.path("outside/b")).expect("moved");
            std::os::unix::fs::symlink(scene.path("home"), &place).expect("linked");
            let text = run(&bash, "cat ~/secret; echo over");
            assert!(text.contains("is not what it was when the run began"), "{walls:?}: {text}");
        }
    }
}

#[test]
fn s13_1_programs_come_from_places_that_no_command_can_write() {
    for (walls, name) in [(Walls::Bubblewrap, "bwrap"), (Walls::Landlock, "bash")] {
        let scene = Scene::new();
        let work = scene.path("home/work");
        for folder in [".venv/bin", "node_modules/.bin"] {
            std::fs::create_dir_all(work.join(folder)).expect("made");
            let planted = work.join(folder).join(name);
            std::fs::write(&planted, format!("#!/bin/sh\ntouch {}\n", scene.at("outside/new")))
                .expect("written");
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(planted, mode).expect("set");
        }
        std::os::unix::fs::symlink(work.join(".venv/bin"), scene.path("home/bin")).expect("linked");
        let places = [".venv/bin", "node_modules/.bin", "../bin"].map(|folder| work.join(folder));
        let of_path = std::env::var_os("PATH").expect("a path");
        let path = places.into_iter().chain(std::env::split_paths(&of_path));
        let path = std::env::join_paths(path).expect("joined");
        let environment = scene.environment().with("PATH", path);
        let Some(bash) = shell(&scene, walls, environment, scene.policy()) else { continue };
        assert!(run(&bash, "echo over").starts_with("over\n"), "{walls:?}");
        assert!(!scene.path("outside/new").exists(), "{walls:?}");
    }
}

#[test]
fn s13_4_what_is_read_only_in_what_is_writable_stays_so() {
    let scene = Scene::new();
    let work = |name: &str| scene.path("home/work").join(name);
    std::fs::create_dir_all(work("deep/kept/below")).expect("made");
    std::fs::write(work("deep/kept/file"), "kept").expect("written");
    let policy = scene.policy().with_readable(work("deep/kept"));
    let Some(bash) = shell(&scene, Walls::Bubblewrap, scene.environment(), policy.clone()) else {
        return;
    };
    let attack = "echo lost >deep/kept/file; touch deep/kept/new deep/kept/below/new; \
        mv deep/kept deep/other; mv deep shallow; mkdir -p deep/kept; ln -s deep/kept way; \
        echo lost >way/file; echo lost >deep/../deep/kept/file; rm -rf deep; touch ok; cat deep/kept/file";
    let text = run(&bash, attack);
    assert!(text.contains("kept") && work("ok").exists(), "{text}");
    assert_eq!(std::fs::read(work("deep/kept/file")).expect("read"), b"kept", "{text}");
    assert!(!work("deep/kept/new").exists() && !work("deep/kept/below/new").exists(), "{text}");
    // What Landlock grants it cannot take back.
    let landlock = sandbox(Walls::Landlock, &scene.environment(), policy);
    let refused = landlock.confine(&work(""), vec!["true".into()]).map(drop);
    let why = refused.expect_err("refused").to_string();
    assert!(why.contains("may only be read"), "{why}");
}
