//! What bubblewrap is asked for, beyond what an escape that fails can show: several walls
//! hold the same thing.

use std::path::{Path, PathBuf};

use super::arguments;
use crate::bash::Environment;
use crate::sandbox::bubblewrap::Features;
use crate::sandbox::network::Network;
use crate::sandbox::places::Places;
use crate::sandbox::policy::Policy;

fn asked(network: Network, features: Features) -> String {
    let policy = Policy::default().with_network(network);
    line(&policy, &Environment::default(), features)
}

fn line(policy: &Policy, environment: &Environment, features: Features) -> String {
    let places = Places::of(Path::new("/tmp"), environment, policy).expect("places");
    let arguments = arguments(&places, policy, features, &[]);
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[test]
fn every_wall_is_asked_for_by_name() {
    let all = Features { disable_userns: true, size: true, mounts: true };
    let line = asked(Network::Off, all);
    for wall in [
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--cap-drop ALL",
        "--remount-ro /",
        "--proc /proc --remount-ro /proc",
        "--tmpfs /tmp",
        "--proc /proc",
    ] {
        assert!(line.contains(wall), "{wall} is not in {line}");
    }
    assert!(!line.contains("--share-net"), "{line}");
    assert!(asked(Network::All, all).contains("--share-net"));
    // The network of a list was entered before.
    let hosts = Network::hosts(["example.com"]).expect("a host");
    assert!(asked(hosts, all).contains("--share-net"));
    // An older one does not know these words, and would refuse them.
    let none = asked(Network::Off, Features::default());
    assert!(!none.contains("--disable-userns") && !none.contains("--size"), "{none}");
}

/// Each mount takes time; but the home is empty, so what it shows needs one.
#[test]
fn a_place_is_bound_unless_it_is_seen_with_one_above_it() {
    let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let above = folder.path().canonicalize().expect("real");
    let home = above.join("home/me");
    let inner = ["plain/deep", "home/me/tools/bin", "home/me/tools/bin/deep"];
    let inner = inner.map(|place| above.join(place));
    inner.iter().for_each(|place| std::fs::create_dir_all(place).expect("made"));
    let [plain, tools, deep] = &inner;
    let environment = Environment::filtered([("HOME", &home)]);
    let readable = [&PathBuf::from("/usr/bin"), &above, plain, tools, deep];
    let policy =
        readable.iter().fold(Policy::default(), |policy, place| policy.with_readable(*place));
    let line = line(&policy, &environment, Features::default());
    let is_bound = |place: &Path| {
        let place = place.display();
        line.contains(&format!("--ro-bind {place} {place} "))
    };
    assert!(is_bound(&above) && is_bound(tools), "{line}");
    assert!(!is_bound(Path::new("/usr/bin")) && !is_bound(plain) && !is_bound(deep), "{line}");
}
