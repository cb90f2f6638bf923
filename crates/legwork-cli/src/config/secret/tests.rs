use super::*;

#[test]
fn a_key_is_trimmed_and_checked() {
    let check = |text: &str, result: Result<&str, Problem>| {
        let secret = Secret::of(text);
        assert_eq!(secret.as_ref().map(Secret::expose).map_err(|problem| *problem), result);
    };
    check(" sk-1\r\n", Ok("sk-1"));
    check("\n \t", Err(Problem::Empty));
    check("sk-1\nsk-2", Err(Problem::Lines));
    check("sk-1\rsk-2", Err(Problem::Lines));
    check("sk 1", Err(Problem::Characters));
    check("sk\0", Err(Problem::Characters));
    check("schlüssel", Err(Problem::Characters));
}

#[test]
fn nothing_shows_a_key() {
    let secret = Secret::of("canary").unwrap();
    assert!(!format!("{secret} {secret:?} {secret:#?}").contains("canary"));
}
