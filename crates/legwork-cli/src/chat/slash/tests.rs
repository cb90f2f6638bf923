//! What a line says.

use super::{Builtin, Said, of};
use crate::chat::files::Commands;

fn said(line: &str) -> Said {
    of(line, &Commands::default()).unwrap()
}

fn words(text: &str) -> Said {
    Said::Words(text.to_owned())
}

#[test]
fn a_slash_begins_a_command_and_two_stand_for_one() {
    assert_eq!(said("/help"), Said::Command(Builtin::Help, String::new()));
    assert_eq!(said(" /model  my:big "), Said::Command(Builtin::Model, "my:big".to_owned()));
    assert_eq!(said("/exit"), Said::Command(Builtin::Quit, String::new()));
    assert_eq!(said("fix /help"), words("fix /help"));
    assert_eq!(said("//help"), words("/help"));
    assert_eq!(said("/usr/bin/env is missing"), words("/usr/bin/env is missing"));
}

#[test]
fn a_command_that_is_not_there_is_told_with_one_that_is() {
    let error = of("/modle x", &Commands::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no command /modle");
    assert!(error.hint().unwrap().contains("/model"), "{:?}", error.hint());
}
