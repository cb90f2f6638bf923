use super::{NoPath, Path, Segment};

fn read(path: &str) -> Result<Vec<Segment<'_>>, NoPath> {
    Path::of(path)?.collect()
}

fn name(name: &str) -> Segment<'_> {
    Segment::Name(name.into())
}

#[test]
fn a_path_leads_through_names_and_indexes() {
    use Segment::Index;
    let paths = [
        ("$", vec![]),
        ("$.a", vec![name("a")]),
        ("$.a.b", vec![name("a"), name("b")]),
        ("$.a[0].b", vec![name("a"), Index(0), name("b")]),
        ("$['a b'][\"c.d\"]", vec![name("a b"), name("c.d")]),
        (r#"$['it\'s "so"']"#, vec![name("it's \"so\"")]),
        (r#"$["\u00e9\ud83d\ude00\\\/\"]"]"#, vec![name("é😀\\/\"]")]),
        ("$['']", vec![name("")]),
        ("$['a\n\t\\'b']", vec![name("a\n\t'b")]),
        ("$.x-y.@type.naïve.a b", vec![name("x-y"), name("@type"), name("naïve"), name("a b")]),
        ("$[18446744073709551615]", vec![Index(u64::MAX)]),
    ];
    for (path, segments) in paths {
        assert_eq!(read(path), Ok(segments), "{path}");
    }
}

#[test]
fn what_leads_to_no_single_value_is_no_path() {
    let texts = [
        "",
        "a",
        ".a",
        "$a",
        "$.",
        "$..a",
        "$.a.",
        "$.*",
        "$[*]",
        "$[",
        "$[]",
        "$[0",
        "$[-1]",
        "$[01]",
        "$[1:2]",
        "$[0,1]",
        "$[18446744073709551616]",
        "$['a",
        "$['a'",
        "$['a\\']",
        "$['a'x]",
        "$['\\q']",
        "$['\\ud83d']",
        "$[?@.a]",
        "$.a]",
        "$.a b*",
        "$.a\n",
        "$ .a",
        "$['a']b",
        "$\u{202e}",
    ];
    for text in texts {
        assert_eq!(read(text), Err(NoPath), "{text}");
    }
}

#[test]
fn nothing_follows_an_error() {
    let mut path = Path::of("$.a..b.c").unwrap();
    assert_eq!(path.next(), Some(Ok(name("a"))));
    assert_eq!(path.next(), Some(Err(NoPath)));
    assert_eq!(path.next(), None);
}
