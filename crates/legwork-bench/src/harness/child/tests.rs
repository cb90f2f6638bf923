use super::parts;

#[test]
fn what_a_side_says_comes_before_its_figures() {
    let (said, figures) = parts("skipped: no `initdb`\nskipped: no `redis-server`\n{}\n");
    assert_eq!(figures, "{}");
    assert_eq!(said.collect::<Vec<_>>(), ["skipped: no `initdb`", "skipped: no `redis-server`"]);
    let (said, figures) = parts("{}\n");
    assert_eq!((said.count(), figures), (0, "{}"));
}
