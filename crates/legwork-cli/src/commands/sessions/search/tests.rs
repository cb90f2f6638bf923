use super::excerpt;

#[test]
fn an_excerpt_keeps_the_match() {
    let line = format!("{} needle {}", "a".repeat(100), "b".repeat(100));
    let [before, hit, after] = excerpt(&line, 101..107, 50);
    assert_eq!(before, format!("…{} ", "a".repeat(23)));
    assert_eq!(hit, "needle");
    assert_eq!(after, format!(" {}…", "b".repeat(17)));
    assert_eq!(excerpt("  an x", 5..6, 50), ["an ", "x", ""]);
    assert_eq!(excerpt("漢字 x 漢字", 7..8, 50), ["漢字 ", "x", " 漢字"]);
    assert_eq!(excerpt("xxxxxxxxxx", 0..10, 4), ["", "xxx…", ""]);
}
