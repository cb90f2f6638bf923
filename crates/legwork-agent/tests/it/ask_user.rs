//! `ask_user`: questions to a person, asked in this process or answered from another.

use std::sync::Arc;

use legwork_agent::capability::ask_user::{AskUser, Question, Refused, asking};
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, StoredSession};
use legwork_core::inbox::Answer;
use legwork_core::state::{Pending, PendingReason};
use legwork_core::{AgentState, ExecutionStatus, Owed};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

fn colours() -> Value {
    json!({"question": "Which colour?", "choices": ["red", "green"], "free_text": false})
}

fn asks(arguments: Value) -> ScriptedModel {
    ScriptedModel::new([Turn::call("ask_user", arguments), Turn::text("done")])
}

fn agent(model: &ScriptedModel, store: &MemoryStore) -> Builder {
    Agent::builder(model.clone()).capability(AskUser).store_in(Arc::new(store.clone()))
}

/// What the model read of its call.
fn read(model: &ScriptedModel) -> String {
    model.asked().last().unwrap().results().concat()
}

#[tokio::test]
async fn s7_8_a_question_waits_and_is_answered_from_another_process() {
    let (model, store) = (asks(colours()), MemoryStore::new());
    let run = agent(&model, &store).build().unwrap().run("go").in_session("s").outcome().await;
    let run = run.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingInput);
    assert_eq!(run.state().owed(), Owed::Pause);
    drop(run);

    let session = StoredSession::new(Arc::new(store.clone()), "s");
    let waiting = session.pending().await.unwrap();
    let question = Question::of(&waiting[0].pending).unwrap();
    assert_eq!(question, Question::new("Which colour?").with_choices(["red", "green"]));
    let refused = question.answer(&waiting[0].pending, "blue").unwrap_err();
    assert!(matches!(refused, Refused::NotOffered { .. }), "{refused}");
    session.answer(question.answer(&waiting[0].pending, "2").unwrap()).await.unwrap();

    let run = agent(&model, &store).build().unwrap().resume("s").await.unwrap();
    assert_eq!((run.text(), read(&model)), ("done".into(), "green".to_owned()));
}

#[tokio::test]
async fn s7_2_s7_8_whoever_asks_in_the_process_is_asked_once_the_question_is_durable() {
    let (model, store) = (asks(colours()), MemoryStore::new());
    let kept = store.clone();
    let person = asking(move |question: Question| {
        let session = StoredSession::new(Arc::new(kept.clone()), "s");
        async move {
            let waiting = session.pending().await.unwrap();
            assert_eq!(Question::of(&waiting[0].pending), Some(question));
            Some("GREEN\n".to_owned())
        }
    });
    let agent = agent(&model, &store).approver(person).build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(read(&model), "green");
}

#[tokio::test]
async fn s7_8_what_is_no_answer_leaves_the_question_waiting() {
    for answer in [None, Some("blue"), Some(" ")] {
        let (model, store) = (asks(colours()), MemoryStore::new());
        let person = asking(move |_: Question| std::future::ready(answer.map(str::to_owned)));
        let agent = agent(&model, &store).approver(person).build().unwrap();
        let run = agent.run("go").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::AwaitingInput, "{answer:?}");
        assert_eq!(model.requests().len(), 1);
    }
}

#[tokio::test]
async fn s7_8_other_calls_go_to_the_other_approver() {
    let (model, store) = (asks(json!({"question": "Why?"})), MemoryStore::new());
    let others = async |pending: Pending, _: AgentState| {
        assert_eq!(pending.reason, PendingReason::Approval);
        Some(Answer::approve(&pending))
    };
    let tools = legwork_agent::toolset::Tools::new("ask", [Arc::new(AskUser) as _]);
    let set = legwork_agent::toolset::ToolsetExt::approval_required(
        tools,
        legwork_agent::toolset::Ask::always(),
    );
    let person = asking(async |_: Question| Some("Because.".to_owned())).or(others);
    let agent = Agent::builder(model.clone()).toolset(set).store_in(Arc::new(store));
    let agent = agent.approver(person).build().unwrap();
    agent.run("go").await.unwrap();
    assert_eq!(read(&model), "Because.");
}

#[tokio::test]
async fn a_question_that_cannot_be_asked_is_told_to_the_model() {
    let (model, store) =
        (asks(json!({"question": "?", "choices": ["a", "a"]})), MemoryStore::new());
    let agent = agent(&model, &store).build().unwrap();
    agent.run("go").await.unwrap();
    assert!(read(&model).contains("Choice 2 is there twice."), "{}", read(&model));
}

#[tokio::test]
async fn s7_5_steering_skips_a_question() {
    let (model, store) = (asks(colours()), MemoryStore::new());
    let agent = agent(&model, &store).build().unwrap();
    agent.run("go").in_session("s").outcome().await.unwrap();
    let session = agent.session("s");
    let waiting = session.pending().await.unwrap();
    session.steer("Blue, of course.").await.unwrap();
    session.resume().await.unwrap();
    let messages = model.asked().last().unwrap().messages.clone();
    assert_eq!(messages.last().unwrap().text, "Blue, of course.");
    let late =
        Question::of(&waiting[0].pending).unwrap().answer(&waiting[0].pending, "red").unwrap();
    assert!(session.answer(late).await.is_err());
}

#[test]
fn the_prompt_says_when_to_ask_and_the_registry_has_it() {
    let (model, store) = (asks(colours()), MemoryStore::new());
    let definition = agent(&model, &store).build().unwrap().definition().instructions.clone();
    assert!(definition.contains("Ask a person with `ask_user` only"), "{definition}");
    let registry = legwork_agent::capability::Registry::shipped();
    assert!(registry.make("ask_user", &json!({})).is_ok());
    assert!(registry.make("ask_user", &json!({"choices": 1})).is_err());
}
