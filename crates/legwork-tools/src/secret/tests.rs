use std::sync::Arc;

use super::*;

/// The subsets of some paths.
fn subsets<'a>(paths: &'a [&'a str]) -> impl Iterator<Item = Vec<PathBuf>> + 'a {
    let chosen = move |set: usize| {
        let in_set = |(index, _): &(usize, &&str)| set & (1 << index) != 0;
        paths.iter().enumerate().filter(in_set).map(|(_, path)| PathBuf::from(path)).collect()
    };
    (0..1_usize << paths.len()).map(chosen)
}

#[test]
fn s13_3_a_place_is_secret_however_it_is_named() {
    let here = std::env::current_dir().unwrap().canonicalize().unwrap();
    let file = here.join("Cargo.toml");
    for place in
        ["Cargo.toml", "./Cargo.toml", "src/../Cargo.toml", "src/..", "src/secret/../..", "/"]
    {
        let secrets = Secrets::default().with(place);
        assert!(secrets.hold(&file), "{place}: {secrets:?}");
    }
    let secrets = Secrets::default().with("not-there-yet");
    assert!(secrets.hold(&here.join("not-there-yet")) && !secrets.hold(&file), "{secrets:?}");
}

#[test]
fn s13_3_a_tree_holds_what_its_paths_hold() {
    let roots = ["/", "/a", "/a/b", "/a/bc", "/e"].map(Path::new);
    let paths = ["", "x", "b", "b/c", "b/c/d", "a/b/c", "bc", "s.db", "s.db-claims/y"];
    for store in ["/none/s.db", "/a/s.db", "/a/b"] {
        for places in subsets(&["/a", "/a/b", "/a/b/c", "/"]) {
            for open in subsets(&["/a/b", "/a/b/c/d", "/a"]) {
                let (absent, places) = places.iter().cloned().partition(|at| at.ends_with("c"));
                let secrets = Secrets { places, absent, open, ..Secrets::default() };
                let secrets = Arc::new(secrets.with_store(store));
                for root in roots {
                    let below = Below::new(&secrets, root);
                    for path in paths.map(Path::new) {
                        let whole = secrets.hold(&root.join(path));
                        assert_eq!(below.hold(path), whole, "{path:?} in {root:?} of {secrets:?}");
                    }
                }
            }
        }
    }
}
