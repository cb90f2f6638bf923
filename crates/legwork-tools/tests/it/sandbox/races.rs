//! Commands that move what the next sandbox is made of, while it is being made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use legwork_tools::{Bash, Sandbox, Workspace};

use super::scene::{Scene, Walls, as_nobody, run, sandbox};

/// How many commands are confined in a race, unless this variable says so.
const ROUNDS: usize = 40;
const ROUNDS_SET: &str = "LEGWORK_TEST_ROUNDS";

/// What moves: each name in the workspace, and where a link in its place leads to.
const MOVED: [(&str, &str); 4] = [
    ("sub", "outside/like"),
    ("sub/.git", "outside/like/.git"),
    ("venv", "outside/venv"),
    ("sub/.git/hooks", "outside/like/.git/hooks"),
];

fn rounds() -> usize {
    std::env::var(ROUNDS_SET).ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

/// All that lies below a place, with what it holds.
fn all_below(place: &Path, all: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
        if kind.is_dir() {
            all.insert(path.clone(), None);
            all_below(&path, all);
        } else {
            let content = kind.is_file().then(|| std::fs::read(&path).expect("read"));
            all.insert(path, content);
        }
    }
}

fn outside(scene: &Scene) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    all_below(&scene.path("outside"), &mut all);
    all.retain(|path, _| !path.ends_with("socket"));
    for name in ["home/secret", "home/.bashrc", "home/.ssh/id"] {
        all.insert(scene.path(name), std::fs::read(scene.path(name)).ok());
    }
    all
}

fn prepared() -> Scene {
    let scene = Scene::new();
    for git in ["home/work/sub/.git", "outside/like/.git"] {
        for folder in ["objects", "hooks"] {
            std::fs::create_dir_all(scene.path(git).join(folder)).expect("made");
        }
        std::fs::write(scene.path(git).join("HEAD"), "ref: refs/heads/main\n").expect("written");
        std::fs::write(scene.path(git).join("config"), format!("# {git}\n")).expect("written");
    }
    for folder in ["home/.ssh", "home/work/venv/bin", "outside/venv/bin"] {
        std::fs::create_dir_all(scene.path(folder)).expect("made");
    }
    std::fs::write(scene.path("home/.bashrc"), "kept").expect("written");
    std::fs::write(scene.path("home/.ssh/id"), "the secret").expect("written");
    std::fs::write(scene.path("outside/venv/secret"), "the secret").expect("written");
    scene
}

/// A command that swaps what moves for links and back, until `stop` is there.
fn swapping(scene: &Scene) -> String {
    let swap = MOVED.map(|(name, target)| {
        let target = scene.at(target);
        let saved = format!("{name}.saved");
        format!(
            "mv -T {name} {saved} && ln -s {target} {name} && touch {name}/touched; \
             rm -f {name}; mv -T {saved} {name}"
        )
    });
    format!(
        "exec 2>/dev/null; touch begun; while [ ! -e stop ]; do {}; done; echo over",
        swap.join("; ")
    )
}

fn wait_for(path: &Path) {
    while !path.exists() {
        std::thread::yield_now();
    }
}

fn race(walls: Walls) {
    let scene = prepared();
    let venv = scene.path("home/work/venv");
    let path = format!("{}:{}", venv.join("bin").display(), std::env::var("PATH").expect("a path"));
    let environment = scene.environment().with("VIRTUAL_ENV", &venv).with("PATH", path);
    let root = scene.path("home/work");
    let sandbox = sandbox(walls, &environment, scene.policy());
    if let Err(why) = sandbox.confine(&root, vec!["true".into()]) {
        println!("skipped: {why}");
        return;
    }
    let before = outside(&scene);
    let workspace = Workspace::open(&root).expect("opened");
    let bash = Bash::new(workspace, environment, Sandbox::By(sandbox));
    let command = swapping(&scene);
    let mut seen = String::new();
    std::thread::scope(|scope| {
        // A command has its limit of time; then the next goes on.
        let swapper = scope.spawn(|| {
            let mut last = String::new();
            while !root.join("stop").exists() {
                last = run(&bash, &command);
            }
            last
        });
        wait_for(&root.join("begun"));
        for _ in 0..rounds() {
            let text = run(
                &bash,
                "for place in sub sub/.git sub/.git/hooks venv venv/bin; do \
                 echo lost >$place/config; echo lost >$place/new; echo lost >$place/pre-commit; \
                 done 2>/dev/null; cat venv/secret ~/.ssh/id $VIRTUAL_ENV/secret 2>/dev/null; echo over",
            );
            assert!(text.contains("over"), "{walls:?}: {text}");
            seen += &text;
            assert_eq!(outside(&scene), before, "{walls:?}");
        }
        std::fs::write(root.join("stop"), "").expect("written");
        assert!(swapper.join().expect("joined").contains("over"));
    });
    assert!(!seen.contains("the secret"), "{walls:?}: {seen}");
    assert_eq!(outside(&scene), before, "{walls:?}");
}

#[test]
fn s13_1_what_moves_while_walls_are_built_leads_nowhere_behind_bubblewrap() {
    race(Walls::Bubblewrap);
}

#[test]
fn s13_1_what_moves_while_walls_are_built_leads_nowhere_behind_landlock() {
    race(Walls::Landlock);
}

#[test]
fn s13_1_what_moves_leads_nowhere_as_an_ordinary_user() {
    let test = concat!(module_path!(), "::s13_1_what_moves_leads_nowhere_as_an_ordinary_user");
    as_nobody(test, || [Walls::Bubblewrap, Walls::Landlock].into_iter().for_each(race));
}
