use super::*;

fn shown(url: &str) -> String {
    match Address::read(url) {
        Ok(address) => address.name.failed("").to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_address_is_shown_without_its_password() {
    for (url, expected) in [
        ("postgres://ann:secret@db.example/work", "postgres://ann@db.example:5432/work failed"),
        ("postgresql://ann:secret@db:1/work?sslmode=require", "postgres://ann@db:1/work failed"),
        ("postgres://ann@db/work?password=secret", "postgres://ann@db:5432/work failed"),
        ("postgres://ann:se%40cret@db/w?schema=one", "postgres://ann@db:5432/w?schema=one failed"),
        ("mysql://ann:secret@db/work", "mysql://ann@db/work cannot be used: its address has to"),
        ("postgres://ann:sec@ret@db:x/w", "postgres://ann@db:x/w cannot be used: its address"),
        ("postgres://ann:secret@db/w?shema=x", "a parameter `shema`, which is not known"),
        ("postgres://ann:secret@db/w?schema=a-b", "\"a-b\" is not the name of a schema"),
        ("postgres://ann:secret@db/w?schema=", "\"\" is not the name of a schema"),
        ("postgres://ann:secret@db/w?port=secret", "its address cannot be read: "),
    ] {
        let shown = shown(url);
        assert!(shown.contains(expected), "{url} is shown as {shown}");
        assert!(!shown.contains("secret") && !shown.contains("cret"), "{url}: {shown}");
    }
}
