use super::*;
use std::time::Duration;

#[test]
fn s13_10_each_bound_is_named() {
    let all = [
        (Passed::ReceivedBytes(128 << 20), "more than 128 MiB came of it (bound `received_bytes`)"),
        (Passed::AnswerBytes(1500), "it is longer than 1500 bytes (bound `answer_bytes`)"),
        (Passed::EventBytes(2048), "an event of it is longer than 2 KiB (bound `event_bytes`)"),
        (Passed::Events(7), "it has more than 7 events (bound `events`)"),
        (Passed::Calls(256), "it has more than 256 tool calls (bound `calls`)"),
        (Passed::Values(9), "it has more than 9 values (bound `values`)"),
        (Passed::Nesting(127), "its values are nested more than 127 deep (bound `nesting`)"),
        (Passed::Name, "a name or an id in it is longer than 1 KiB"),
        (Passed::Tokens(5), "it says that it used more than 5 tokens (bound `tokens`)"),
        (
            Passed::Time(Duration::from_secs(3600)),
            "it takes longer than 3600s (bound `answer_time`)",
        ),
    ];
    for (passed, words) in all {
        assert_eq!(passed.to_string(), words);
    }
}
