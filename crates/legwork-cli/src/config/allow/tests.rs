use super::*;

#[test]
fn a_path_is_relative_to_its_folder_and_read_only_if_it_says_so() {
    let check = |text: &str, shown: Result<&str, &str>| {
        let parsed = AllowPath::parse(text, Path::new("/etc/of"));
        match (parsed, shown) {
            (Ok(path), Ok(shown)) => assert_eq!(path.to_string(), shown),
            (Err(problem), Err(shown)) => assert!(problem.contains(shown), "{problem}"),
            (parsed, shown) => panic!("{parsed:?} instead of {shown:?}"),
        }
    };
    check("/srv", Ok("/srv"));
    check("/srv:ro", Ok("/srv:ro"));
    check("data", Ok("/etc/of/data"));
    check("./data:ro", Ok("/etc/of/data:ro"));
    check("", Err("empty"));
    check(":ro", Err("empty"));
    check("~other/x", Err("homes of others"));
    check("a\0b", Err("NUL"));
}
