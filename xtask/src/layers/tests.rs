use super::*;

/// The edges of a workspace that has all crates, and these dependencies.
fn edges_with(extra: &[(&str, &str)]) -> Edges {
    let mut edges: Edges =
        TABLE.iter().map(|(name, _)| ((*name).to_owned(), BTreeSet::new())).collect();
    for (from, to) in extra {
        let known = edges.entry((*from).to_owned()).or_default();
        known.insert((*to).to_owned());
    }
    edges
}

#[test]
fn downward_edges_pass() {
    let edges = edges_with(&[
        ("legwork-port", "legwork-core"),
        ("legwork-testkit", "legwork-agent"),
        ("legwork", "legwork-macros"),
        ("legwork-cli", "legwork"),
        ("xtask", "legwork-testkit"),
    ]);
    assert_eq!(violations(&edges), Vec::<String>::new());
}

#[test]
fn each_other_edge_is_named() {
    for (from, to) in [
        ("legwork-core", "legwork-port"),
        ("legwork-models", "legwork-agent"),
        ("legwork-store", "legwork-tools"),
        ("legwork", "legwork-testkit"),
        ("legwork-cli", "legwork-core"),
        ("legwork-macros", "legwork-core"),
    ] {
        let wrong = violations(&edges_with(&[(from, to)]));
        assert_eq!(wrong.len(), 1, "{from} -> {to}: {wrong:?}");
        assert!(wrong[0].starts_with(&format!("{from} -> {to}")));
    }
}

#[test]
fn a_crate_without_a_row_and_a_row_without_a_crate_are_named() {
    let mut edges = edges_with(&[("legwork-new", "legwork-core")]);
    edges.remove("legwork-bench");
    let wrong = violations(&edges).join("\n");
    assert!(wrong.contains("legwork-new has no row"), "{wrong}");
    assert!(wrong.contains("legwork-bench has a row"), "{wrong}");
}

#[test]
fn dev_edges_and_registry_crates_are_free() {
    let metadata = serde_json::json!({
        "target_directory": "target",
        "packages": [{
            "name": "legwork-core",
            "dependencies": [
                {"name": "legwork-testkit", "kind": "dev", "path": "crates/legwork-testkit"},
                {"name": "serde", "kind": null},
                {"name": "legwork-macros", "kind": "build", "path": "crates/legwork-macros"},
            ],
        }],
    });
    let metadata: Metadata = serde_json::from_value(metadata).unwrap();
    let edges = edges(&metadata);
    let known = edges["legwork-core"].iter().collect::<Vec<_>>();
    assert_eq!(known, ["legwork-macros"]);
}
