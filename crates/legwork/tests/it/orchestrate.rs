//! The examples of orchestrators, run as programs.

use std::process::Command;

/// The output of an example, which was built with this test.
fn printed(example: &str) -> Vec<String> {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(|deps| deps.parent()).unwrap();
    // Nothing of the environment: it needs no key, no network and no home.
    let output = Command::new(target.join("examples").join(example)).env_clear().output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn s4_2_the_chat_of_three_talks_until_it_is_settled() {
    assert_eq!(
        printed("chat_of_three"),
        [
            "Ada: Rust: it finds my mistakes.",
            "Bob: Python: it is there at once.",
            "Cleo: Who teaches it?",
            "Ada: The compiler teaches it.",
            "Bob: Then let us teach Rust.",
            "Cleo: SETTLED: Rust.",
            "6 turns, 60 tokens",
            "Stopping (completed, by said): Cleo said `SETTLED`.",
        ]
    );
}

#[test]
fn s4_2_the_collaboration_is_led_to_its_result() {
    assert_eq!(
        printed("collaboration"),
        [
            "Lea: Will, write a slogan of four words",
            "Will: Agents that finish things.",
            "Lea: Cora, check it",
            "Cora: Four words, and true.",
            "Lea: Agents that finish things.",
            "result: Agents that finish things.",
            "5 turns, 4 tool calls",
        ]
    );
}
