//! What an answer is charged that was cut, or that does not say what it used.

use std::sync::Arc;

use legwork_agent::{Agent, Run};
use legwork_core::ModelSettings;
use legwork_core::inference::Incomplete;
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};

/// A run in which an answer of so many bytes is streamed that may have so many tokens.
async fn streamed(bytes: usize, max_output: Option<u64>) -> (Run, Option<Incomplete>, u64) {
    let model = ScriptedModel::new([Turn::text("x".repeat(bytes)).without_usage()]);
    let seen = RecordingObserver::new();
    let agent = Agent::builder(model)
        .settings(ModelSettings { max_output, ..ModelSettings::default() })
        .observer(Arc::new(seen.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    let entries = seen.entries();
    let response = entries.iter().find_map(|entry| match &entry.event {
        legwork_core::Event::Responded(responded) => Some(Arc::clone(&responded.response)),
        _ => None,
    });
    let response = response.unwrap();
    (run, response.incomplete.clone(), response.message.weight())
}

#[tokio::test]
async fn s5_3_a_stream_is_cut_where_it_passes_its_reserve_and_charged_what_was_counted() {
    // Eight bytes are a token, at the most.
    for bytes in [80, 87] {
        let (run, incomplete, _) = streamed(bytes, Some(10)).await;
        assert_eq!((incomplete, run.text().len()), (None, bytes), "ten tokens");
        assert_eq!(run.used().output, 10);
    }
    let (run, incomplete, weight) = streamed(4_000, Some(10)).await;
    assert_eq!(incomplete, Some(Incomplete::OverReserve));
    assert!((88..4_000).contains(&weight), "{weight}");
    assert_eq!(run.used().output, weight / 8);
    assert!(run.used().estimated);
}

#[tokio::test]
async fn s5_3_an_answer_of_which_nothing_was_reserved_is_charged_what_was_counted() {
    let (run, incomplete, weight) = streamed(900, None).await;
    assert_eq!((incomplete, run.text().len()), (None, 900));
    assert_eq!(run.used().output, weight.div_ceil(3));
    assert!(run.used().output >= 300, "{}", run.used().output);
}
