//! Results in a conversation: in call order, each changed in place.

use std::sync::Arc;

use legwork_core::event::{ToolChanged, ToolFinished};
use legwork_core::message::ToolResult;
use legwork_core::{
    AgentState, Event, FinishReason, Message, Part, Response, ToolCall, ToolOutcome, Transcript,
};
use proptest::prelude::*;

use crate::arbitrary;
use crate::story::{respond, tell};

/// A turn of so many calls, with text between them, of which none is answered.
fn calls(count: u32) -> AgentState {
    let call = |n| Part::ToolCall(Arc::new(ToolCall::new(format!("c{n}"), "a", "{}")));
    let parts = (0..count).flat_map(|n| [Part::text("so".repeat(n as usize % 3)), call(n)]);
    let response = Response::new(Message::assistant(parts.collect()), FinishReason::ToolCalls);
    respond(tell("user: hi; inference"), response, None)
}

fn outcome(text: &str) -> Arc<ToolOutcome> {
    Arc::new(ToolOutcome::text(text))
}

fn finished(index: u32, text: &str) -> Event {
    let (took, metadata, used) = Default::default();
    Event::ToolFinished(ToolFinished { index, outcome: outcome(text), took, metadata, used })
}

fn changed(index: u32, text: &str) -> Event {
    Event::ToolChanged(ToolChanged { index, outcome: outcome(text) })
}

fn results(state: &AgentState) -> Vec<(String, String)> {
    let result = |part: &Part| match part {
        Part::ToolResult(result) => Some((result.call.to_string(), result.text().into_owned())),
        _ => None,
    };
    let messages = state.context().transcript.messages();
    messages.iter().flat_map(|message| message.parts.iter().filter_map(result)).collect()
}

/// What is true of every conversation that is settled.
fn stands(state: &AgentState) -> Result<(), TestCaseError> {
    let transcript = &state.context().transcript;
    prop_assert_eq!(transcript.open_calls(), 0);
    prop_assert!(Transcript::check(transcript.messages().iter()).is_ok());
    let weight: u64 = transcript.messages().iter().map(|message| message.weight()).sum();
    prop_assert_eq!(transcript.weight(), weight);
    let text = serde_json::to_string(state).unwrap();
    prop_assert_eq!(&serde_json::from_str::<AgentState>(&text).unwrap(), state);
    Ok(())
}

proptest! {
    #![proptest_config(arbitrary::cases(64))]

    #[test]
    fn s1_1_results_stand_in_call_order_as_they_were_changed_last(
        (count, order) in (1u32..70).prop_flat_map(|count| {
            (Just(count), Just((0..count).collect::<Vec<_>>()).prop_shuffle())
        }),
        changes in prop::collection::vec((any::<prop::sample::Index>(), "[a-z]{1,9}"), 0..20),
        said in any::<bool>(),
        read_anew in any::<prop::sample::Index>(),
    ) {
        let mut state = calls(count);
        let mut expected = vec!["first".to_owned(); count as usize];
        for (nth, index) in order.into_iter().enumerate() {
            if nth == read_anew.index(count as usize) {
                let text = serde_json::to_string(&state).unwrap();
                state = serde_json::from_str(&text).unwrap();
            }
            state = state.with(finished(index, "first"));
        }
        if said {
            state = state.with_message("behind");
        }
        for (at, text) in changes {
            let index = at.index(count as usize);
            expected[index].clone_from(&text);
            state = state.with(changed(u32::try_from(index).unwrap(), &text));
        }
        let expected = expected.into_iter().enumerate();
        let expected: Vec<_> = expected.map(|(n, text)| (format!("c{n}"), text)).collect();
        prop_assert_eq!(results(&state), expected);
        let last = state.context().transcript.messages().last().unwrap().text();
        prop_assert_eq!(last == "behind", said);
        stands(&state)?;
    }

    #[test]
    fn s1_1_what_a_journal_says_of_results_breaks_no_conversation(
        count in 2u32..40,
        forged in prop::collection::vec((0u32..40, 1u32..4), 0..5),
        changes in prop::collection::vec(0u32..40, 0..8),
    ) {
        let mut state = calls(count);
        for (from, results) in forged {
            let result =
                |n| Part::ToolResult(ToolResult::new(format!("c{n}").as_str(), "a", "forged"));
            let parts = (from..from + results).map(result).collect();
            state = state.with_message(Message::new(legwork_core::Role::Tool, parts));
        }
        state = (0..count).map(|index| finished(index, "so")).fold(state, AgentState::with);
        for index in changes {
            state = state.with(changed(index, "other"));
            stands(&state)?;
            let of = |n: u32| results(&state).into_iter().filter(move |(call, _)| *call == format!("c{n}"));
            if index < count {
                prop_assert_eq!(of(index).map(|(_, text)| text).collect::<Vec<_>>(), ["other"]);
            }
        }
        stands(&state)?;
    }
}
