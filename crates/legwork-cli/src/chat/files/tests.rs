//! What a file says as a command.

use std::path::Path;

use super::Commands;

fn commands(files: &[(&str, &str)]) -> Commands {
    let mut commands = Commands::default();
    files.iter().for_each(|(path, text)| commands.add(Path::new(path), text));
    commands
}

#[test]
fn what_is_typed_takes_its_place_in_the_text() {
    let commands = commands(&[("c/a.md", "Review $ARGUMENTS, all of it.\n"), ("c/b.md", "Do b.")]);
    assert_eq!(commands.says("a", "x y").unwrap(), "Review x y, all of it.");
    assert_eq!(commands.says("b", "").unwrap(), "Do b.");
    assert_eq!(commands.says("b", "now").unwrap(), "Do b.\n\nnow");
    assert_eq!(commands.says("c", ""), None);
}

#[test]
fn a_command_is_described_by_its_front_matter_or_its_first_line() {
    let front = "---\ndescription: \"Reviews it\"\n---\nReview it.\n";
    let commands = commands(&[("a.md", front), ("b.md", "\n# Do b\n\nNow."), ("c.txt", "no")]);
    let all: Vec<_> = commands.all().collect();
    assert_eq!(all, [("a", "Reviews it"), ("b", "Do b")]);
    assert_eq!(commands.says("a", "").unwrap(), "Review it.");
}

#[test]
fn a_later_file_of_a_name_wins_and_odd_names_are_none() {
    let commands = commands(&[("p/a.md", "one"), ("u/a.md", "two"), ("x y.md", "no")]);
    assert_eq!(commands.says("a", "").unwrap(), "two");
    assert_eq!(commands.names().collect::<Vec<_>>(), ["a"]);
}
