use super::Format;

#[test]
fn the_ending_of_its_name_tells_the_format() {
    for (path, format) in [
        ("a.md", Some(Format::Markdown)),
        ("dir.md/A.MD", Some(Format::Markdown)),
        ("a.yaml", Some(Format::Yaml)),
        ("a.b.yml", Some(Format::Yaml)),
        ("a.json", Some(Format::Json)),
        ("a.toml", None),
        ("a.md~", None),
        ("md", None),
        (".md", None),
    ] {
        assert_eq!(Format::of(path), format, "{path}");
    }
    for format in Format::ALL {
        assert_eq!(Format::of(format!("a.{}", format.extension())), Some(format));
    }
}
