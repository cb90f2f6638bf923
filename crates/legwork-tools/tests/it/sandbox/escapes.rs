//! Each way out: it succeeds without walls, and not behind them.
//!
//! What a sandbox cannot hold must be named among its gaps, and must really
//! not be held: else the gap is none.

use std::net::UdpSocket;

use super::helper::ESCAPED;
use super::scene::{Scene, Walls, as_nobody, is_root, sandbox};

/// A way out.
struct Escape {
    /// The command.
    attack: fn(&Scene) -> String,
    /// Whether it succeeded, seen from outside; the text is what it printed.
    witness: fn(&mut Scene, &str) -> bool,
    /// Whether an ordinary user could do it without walls.
    ordinary: bool,
    /// What Landlock's gaps say of it, if it cannot hold it.
    gap: Option<&'static str>,
}

const fn escape(attack: fn(&Scene) -> String, witness: fn(&mut Scene, &str) -> bool) -> Escape {
    Escape { attack, witness, ordinary: true, gap: None }
}

const fn of_root(attack: fn(&Scene) -> String) -> Escape {
    Escape { attack, witness: printed, ordinary: false, gap: None }
}

fn printed(_: &mut Scene, text: &str) -> bool {
    text.contains(ESCAPED)
}

fn told_the_secret(_: &mut Scene, text: &str) -> bool {
    text.contains("the secret")
}

fn outside_changed(scene: &mut Scene, _: &str) -> bool {
    let kept = std::fs::read(scene.path("outside/kept")).is_ok_and(|text| text == b"kept");
    !kept || scene.path("outside/new").exists()
}

fn reached(scene: &mut Scene, _: &str) -> bool {
    scene.tcp.accept().is_ok()
        || scene.udp.recv(&mut [0; 9]).is_ok()
        || scene.socket.accept().is_ok()
        || scene.abstracted.accept().is_ok()
}

fn repository_changed(scene: &mut Scene, _: &str) -> bool {
    let git = |name: &str| scene.path("home/work/.git").join(name);
    let hooks = std::fs::read_dir(git("hooks")).map_or(0, Iterator::count);
    let config = std::fs::read(git("config")).is_ok_and(|text| text == b"[core]\n");
    hooks > 0 || !config || !git("marker").exists()
}

fn port(scene: &Scene) -> u16 {
    scene.tcp.local_addr().expect("an address").port()
}

/// An address of this machine that is not its loopback's, if it has one.
fn own_address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent; the system says which way it would go.
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip().to_string())
}

const WRITE_OUTSIDE: Escape = escape(
    |scene| {
        let outside = scene.at("outside");
        format!("echo lost >{outside}/new; echo lost >{outside}/kept; rm -f {outside}/kept")
    },
    outside_changed,
);
const SYMLINK_SWAPPED: Escape = escape(
    |scene| {
        let outside = scene.at("outside");
        // Written through while it turns from a directory into a link and back.
        format!(
            "mkdir real; ln -s real a; ln -s {outside} b; \
             (for i in $(seq 300); do mv -T b c; mv -T a b; mv -T c a; done) & \
             for i in $(seq 300); do echo lost >a/new; echo lost >b/kept; done 2>/dev/null; \
             wait; ln -sfn {outside} a; echo lost >a/new"
        )
    },
    outside_changed,
);
const HARD_LINK: Escape = escape(
    |scene| format!("ln {} linked && echo lost >linked", scene.at("outside/kept")),
    outside_changed,
);
const MODE_OUTSIDE: Escape = Escape {
    gap: Some("modes and owners"),
    ..escape(
        |scene| format!("chmod 0777 {}", scene.at("outside/kept")),
        |scene, _| {
            use std::os::unix::fs::PermissionsExt as _;
            let kept = std::fs::metadata(scene.path("outside/kept")).expect("there");
            kept.permissions().mode() & 0o777 == 0o777
        },
    )
};
const GIT: Escape = Escape {
    gap: Some(".git/hooks"),
    ..escape(
        |_| {
            "echo lost >.git/hooks/pre-commit; echo lost >>.git/config; rm -rf .git/hooks; \
             mv .git/config .git/c; mv .git .away; mkdir -p .git/hooks; touch .git/hooks/x; \
             git config core.hooksPath /tmp/x"
                .to_owned()
        },
        repository_changed,
    )
};
const SHADOW: Escape = Escape {
    witness: |_, text| text.contains("root:"),
    ..of_root(|_| "cat /etc/shadow".to_owned())
};
const HOME_SECRET: Escape = escape(
    |scene| format!("cat {} $HOME/secret ../secret", scene.at("home/secret")),
    told_the_secret,
);
const LOOPBACK: Escape =
    escape(|scene| format!("exec 3<>/dev/tcp/127.0.0.1/{}", port(scene)), reached);
const LOOPBACK_DATAGRAM: Escape = escape(
    |scene| {
        let port = scene.udp.local_addr().expect("an address").port();
        format!("echo lost >/dev/udp/127.0.0.1/{port}")
    },
    reached,
);
const OUTSIDE_NETWORK: Escape = escape(
    |scene| {
        let address = own_address().unwrap_or_else(|| {
            println!("skipped: this machine has no address but its loopback's, which is tried");
            "127.0.0.1".to_owned()
        });
        format!("exec 3<>/dev/tcp/{address}/{}", port(scene))
    },
    reached,
);
const SOCKET: Escape = escape(|scene| scene.helper("socket", &scene.at("outside/socket")), reached);
const ABSTRACT_SOCKET: Escape =
    escape(|scene| scene.helper("abstract", scene.at("").trim_end_matches('/')), reached);
const USER_NAMESPACE: Escape = escape(
    |scene| format!("unshare -Ur echo {ESCAPED}; {}", scene.helper("namespace", "x")),
    printed,
);
const MOUNT: Escape = escape(
    |_| {
        format!(
            "mkdir m; mount -t tmpfs none m && echo {ESCAPED} && umount m; \
             unshare -Urm sh -c 'mount -t tmpfs none m && echo {ESCAPED}'"
        )
    },
    printed,
);
const DEVICE: Escape = of_root(|_| format!("mknod zero c 1 5 && head -c 1 zero && echo {ESCAPED}"));
const PTRACE: Escape =
    escape(|scene| scene.helper("trace", &scene.victim.id().to_string()), printed);
const SIGNAL: Escape = escape(
    |scene| {
        format!("kill -KILL {0} && test ! -e /proc/1/root/x && echo {ESCAPED}", scene.victim.id())
    },
    |scene, text| match text.contains(ESCAPED) {
        // Then it dies, which takes a while.
        true => !scene.victim.wait().expect("a status").success(),
        false => scene.victim.try_wait().expect("a status").is_some(),
    },
);
const ENVIRONMENT: Escape = escape(
    |scene| format!("cat /proc/{}/environ /proc/[0-9]*/environ", scene.victim.id()),
    told_the_secret,
);

/// Checks that an escape succeeds without walls and fails behind them.
fn check(walls: Walls, name: &str, escape: &Escape) {
    let mut scene = Scene::new();
    let attack = (escape.attack)(&scene);
    let Some(text) = scene.run(walls, &attack) else { return };
    let escaped = (escape.witness)(&mut scene, &text);
    let gap = escape.gap.filter(|_| walls == Walls::Landlock);
    if let Some(gap) = gap {
        let gaps = sandbox(walls, &scene.environment(), scene.policy()).gaps();
        assert!(gaps.iter().any(|report| report.contains(gap)), "{name} is named: {gaps:?}");
    }
    assert_eq!(escaped, gap.is_some(), "{name} behind {walls:?}: {text}");
    if !escape.ordinary && !is_root() {
        return;
    }
    let mut scene = Scene::new();
    let attack = (escape.attack)(&scene);
    let text = scene.run(Walls::None, &attack).unwrap_or_default();
    if (escape.witness)(&mut scene, &text) {
        return;
    }
    // A system may hold some of it by itself: no other user's process is traced, say.
    println!("skipped: this system does not let {name} happen without walls either: {text}");
    assert!(name == "PTRACE" || name == "USER_NAMESPACE" || name == "MOUNT", "{name}: {text}");
}

macro_rules! escapes {
    ($($test:ident: $escape:ident),* $(,)?) => {
        $(mod $test {
            use super::{$escape, Walls, as_nobody, check, is_root};

            const NAME: &str = stringify!($escape);

            fn as_root(walls: Walls) {
                match is_root() {
                    true => check(walls, NAME, &$escape),
                    false => println!("skipped: not root"),
                }
            }

            #[test]
            fn bubblewrap_as_root() {
                as_root(Walls::Bubblewrap);
            }

            #[test]
            fn landlock_as_root() {
                as_root(Walls::Landlock);
            }

            #[test]
            fn bubblewrap_as_an_ordinary_user() {
                let test = concat!(module_path!(), "::bubblewrap_as_an_ordinary_user");
                as_nobody(test, || check(Walls::Bubblewrap, NAME, &$escape));
            }

            #[test]
            fn landlock_as_an_ordinary_user() {
                let test = concat!(module_path!(), "::landlock_as_an_ordinary_user");
                as_nobody(test, || check(Walls::Landlock, NAME, &$escape));
            }
        })*
    };
}

escapes! {
    write_outside: WRITE_OUTSIDE,
    symlink_swapped: SYMLINK_SWAPPED,
    hard_link: HARD_LINK,
    mode_outside: MODE_OUTSIDE,
    git: GIT,
    shadow: SHADOW,
    home_secret: HOME_SECRET,
    loopback: LOOPBACK,
    loopback_datagram: LOOPBACK_DATAGRAM,
    outside_network: OUTSIDE_NETWORK,
    socket: SOCKET,
    abstract_socket: ABSTRACT_SOCKET,
    user_namespace: USER_NAMESPACE,
    mount: MOUNT,
    device: DEVICE,
    ptrace: PTRACE,
    signal: SIGNAL,
    environment: ENVIRONMENT,
}
