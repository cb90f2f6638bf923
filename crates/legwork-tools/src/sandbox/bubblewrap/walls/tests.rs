//! What bubblewrap is asked for, beyond what an escape that fails can show: several walls
//! hold the same thing.

use std::path::Path;

use super::arguments;
use crate::bash::Environment;
use crate::sandbox::bubblewrap::Features;
use crate::sandbox::network::Network;
use crate::sandbox::places::Places;
use crate::sandbox::policy::Policy;

fn asked(network: Network, features: Features) -> String {
    let policy = Policy::default().with_network(network);
    let places = Places::of(Path::new("/tmp"), &Environment::default(), &policy).expect("places");
    let arguments = arguments(&places, &policy, features, &[]);
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
