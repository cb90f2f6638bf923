use std::path::PathBuf;

use super::*;
use crate::config::help::example;

fn read(text: &str) -> Result<Values, Error> {
    let path = PathBuf::from("/folder/legwork.toml");
    parse(&Document::new(path, text, Whose::User))
}

/// The file to begin with, its examples in force.
fn all_keys() -> String {
    let settings = example();
    let lines = settings.lines().filter_map(|line| line.strip_prefix('#'));
    lines.filter(|line| !line.starts_with(' ')).map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn every_key_is_read() {
    let values = read(&all_keys()).unwrap();
    assert_eq!(values.budget.tokens.unwrap().value, 1_000_000);
    assert_eq!(values.allow_paths.len(), 2);
    assert_eq!((values.keys.len(), values.providers.len()), (1, 1));
    for key in KEYS {
        assert!(!key.help.is_empty() && all_keys().contains(key.example), "{}", key.name);
    }
}

#[test]
fn whatever_is_broken_is_refused_and_never_a_panic() {
    let mut random = fastrand::Rng::with_seed(7);
    let whole: Vec<char> = all_keys().chars().collect();
    let (mut read_well, mut refused) = (0, 0);
    for _ in 0..3_000 {
        let mut text = whole.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..text.len());
            match random.u8(..3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, random.char(..)),
                _ => text.truncate(at.max(9)),
            }
        }
        match read(&text.into_iter().collect::<String>()) {
            Ok(_) => read_well += 1,
            Err(error) => {
                refused += 1;
                assert!(error.to_string().starts_with("/folder/legwork.toml:"), "{error}");
            }
        }
    }
    assert!(read_well > 100 && refused > 100, "{read_well} {refused}");
}

#[test]
fn each_of_many_values_has_its_line() {
    let text = format!("allow_paths = [\n{}]\n", "\"a\",\n".repeat(170_000));
    let values = read(&text).unwrap();
    let lines = values.allow_paths.iter().map(|path| path.line);
    assert!(lines.eq(2..170_002));
    let error = read(&format!("{text}budget.steps = 0\n")).unwrap_err().to_string();
    assert!(error.starts_with("/folder/legwork.toml:170003:16: "), "{error}");
}

#[test]
fn what_may_be_a_key_is_in_no_error() {
    for text in [
        "keys = 'canary'",
        "[keys]\nopenai = 'canary'",
        "[keys.openai]\nkey = 'canary'",
        "[keys.openai]\nenv = ['canary']",
        "[keys.openai]\nfile = 'canary'\nenv = 'canary'",
        "[keys.openai]\nfile = '~canary/x'",
        "[keys.openai]\nfile = canary",
        "[keys.openai]\nfile = 'canary",
        "api_key = 'canary'",
        "budget.steps = 'canary'",
        "canary",
        "sk-canary-1 2",
    ] {
        let error = read(text).unwrap_err();
        let told = format!("{error} {error:?} {:?}", error.hint());
        assert!(!told.contains("canary"), "{told}");
    }
}
