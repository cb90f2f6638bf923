use super::*;

fn package(features: serde_json::Value) -> Package {
    let package = serde_json::json!({"name": "a", "dependencies": [], "features": features});
    serde_json::from_value(package).unwrap()
}

#[test]
fn each_feature_is_checked_alone_and_none_and_the_default_ones() {
    let with_default = package(serde_json::json!({"b": [], "default": ["b"], "c": ["b"]}));
    let (none, all) = ("--no-default-features", "--all-targets");
    assert_eq!(
        sets(&with_default),
        [vec![none], vec![none, "--features", "b"], vec![none, "--features", "c"], vec![all]]
    );
    assert_eq!(
        sets(&package(serde_json::json!({"b": []}))),
        [vec![none], vec![none, "--features", "b"], vec![all]]
    );
    assert_eq!(sets(&package(serde_json::json!({}))), [vec![all]]);
}

#[test]
fn what_warns_or_fails_does_not_build() {
    let shell = |script: &str| builds(Command::new("sh").args(["-c", script])).unwrap();
    assert!(shell("true"));
    assert!(!shell("echo 'warning: function `a` is never used' >&2"));
    assert!(!shell("exit 101"));
}
