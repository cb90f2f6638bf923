//! Keys of the models: nothing that is journaled or told holds them.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder};
use legwork_core::inbox::Cursor;
use legwork_core::message::Thinking;
use legwork_core::{
    EffectClass, FinishReason, Mask, Message, ModelRequest, Part, Response, SessionId, ToolCall,
    ToolOutcome, ToolSpec,
};
use legwork_port::model::{Ability, Error, Kind, Profile, Retry};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Delta, Deltas, Model, Store};
use legwork_testkit::{RecordingObserver, Turn};
use serde_json::json;

use crate::subagents::{child_of, reviewer, scripted, spawn};
use crate::tools::made;

const KEY: &str = "sk-canary-0123456789";

/// A model that has a key, and says it at each chance.
struct Echo {
    profile: Profile,
    asked: std::sync::atomic::AtomicUsize,
}

impl Echo {
    fn new() -> Self {
        let profile = Profile::new().with(Ability::Tools);
        Self { profile, asked: Default::default() }
    }

    fn tell(deltas: &mut dyn Deltas, delta: Delta<'_>) {
        let _: ControlFlow<()> = deltas.delta(delta);
    }

    /// The key in pieces of so many characters.
    fn pieces(deltas: &mut dyn Deltas, size: usize, text: &str) {
        for piece in text.as_bytes().chunks(size) {
            let piece = std::str::from_utf8(piece).unwrap();
            Self::tell(deltas, Delta::Text(piece));
        }
    }

    fn answer(&self, deltas: Option<&mut dyn Deltas>) -> Result<Response, Error> {
        let turn = self.asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        if turn == 1 {
            return Err(Error {
                code: Some(format!("code {KEY}")),
                ..Error::new(Kind::BadRequest, format!("you sent {KEY}"))
            });
        }
        let text = format!("My key is {KEY}, of {KEY}");
        let arguments = json!({"path": KEY}).to_string();
        if let Some(deltas) = deltas {
            let retry = Retry {
                attempt: 1,
                wait: Duration::from_millis(1),
                left: Duration::from_secs(1),
                error: &text,
                discarded: false,
                charged_attempts: 0,
            };
            let _: ControlFlow<()> = deltas.retrying(retry);
            Self::pieces(deltas, 3, &text);
            Self::tell(deltas, Delta::Thinking("sk-canary-"));
            Self::tell(deltas, Delta::Thinking("0123456789"));
            Self::pieces(deltas, 7, &text);
            Self::tell(deltas, Delta::ToolCall { index: 0, name: KEY });
            for piece in [&arguments[..14], &arguments[14..]] {
                Self::tell(deltas, Delta::Arguments { index: 0, json: piece });
            }
        }
        let call = |id: &str, name: &str| {
            Part::ToolCall(Arc::new(ToolCall::new(id, name, arguments.clone())))
        };
        let thinking = Thinking { text: KEY.to_owned(), ..Thinking::default() };
        let mut parts = vec![
            Part::Thinking(thinking),
            Part::text(text),
            Part::Refusal(KEY.into()),
            Part::Other(json!({KEY: [KEY]})),
        ];
        if turn == 0 {
            parts.extend([call(KEY, "leak"), call("b", KEY)]);
        }
        let finish = if turn == 0 { FinishReason::ToolCalls } else { FinishReason::from(KEY) };
        let mut response = Response::new(Message::assistant(parts), finish);
        response.raw.insert(KEY.to_owned(), json!({"id": KEY}));
        Ok(response)
    }
}

impl Model for Echo {
    fn name(&self) -> &'static str {
        "echo:model"
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn mask(&self) -> Mask {
        Mask::of([KEY])
    }

    fn infer<'a>(
        &'a self,
        _: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move { self.answer(deltas) })
    }
}

/// A tool that prints the key.
fn leaking(agent: Builder) -> Builder {
    let spec = ToolSpec::new("leak", "Prints what there is.", json!({"type": "object"}));
    agent.tool(made(spec.effect(EffectClass::ReadOnly), |_, context| {
        context.progress(&format!("found {KEY}"));
        context.attach("file", json!(KEY));
        let text = format!("OPENAI_API_KEY={KEY}\n");
        Box::pin(std::future::ready(ToolOutcome::value(json!({"text": text}))))
    }))
}

async fn journal(store: &MemoryStore, session: &str) -> String {
    let loaded = store.read(&SessionId::new(session), Range::ALL).await.unwrap();
    let lines = loaded.journal.entries().iter().map(|entry| entry.encode().unwrap());
    lines.map(|line| String::from_utf8(line).unwrap() + "\n").collect()
}

fn check(told: &str) {
    assert!(!told.contains("canary") && told.contains("[redacted]"), "{told}");
}

#[tokio::test]
async fn s13_11_no_key_is_journaled_or_told() {
    let (store, observer) = (MemoryStore::new(), RecordingObserver::new());
    let agent = leaking(Agent::builder(Echo::new())).store_in(Arc::new(store.clone()));
    let agent = agent.observer(Arc::new(observer.clone())).build().unwrap();
    let run = agent.run(format!("Work with {KEY}")).in_session("s").outcome().await.unwrap();
    let told = format!("{:?}", observer.events());
    check(&told);
    for kind in
        ["InferenceRetried", "ToolProgress", "ToolFinished", "InferenceFinished", "Thinking"]
    {
        assert!(told.contains(kind), "no {kind} in {told}");
    }
    let lines = journal(&store, "s").await;
    check(&lines);
    assert!(lines.matches("[redacted]").count() > 15, "{lines}");
    check(&serde_json::to_string(run.state()).unwrap());
    // The model sees what is journaled: the key that the tool printed is not sent on.
    agent.session("s").steer(format!("And {KEY}")).await.unwrap();
    check(&journal(&store, "s").await);
    let inbox = store.inbox(&SessionId::new("s"), Cursor::default()).await.unwrap();
    check(&format!("{inbox:?}"));
    // A run that goes on masks too.
    let run = agent.resume("s").await.unwrap();
    check(&serde_json::to_string(run.state()).unwrap());
    check(&journal(&store, "s").await);
}

#[tokio::test]
async fn s13_11_what_is_shown_in_pieces_is_whole_but_for_the_key() {
    let observer = RecordingObserver::new();
    let agent = leaking(Agent::builder(Echo::new())).observer(Arc::new(observer.clone()));
    agent.build().unwrap().run("Work").outcome().await.unwrap();
    let (half, text) = ("My key is [redacted], of [redacted]", observer.text());
    assert!(text.starts_with(&format!("{half}{half}")), "{text}");
}

#[tokio::test]
async fn s13_11_other_secrets_and_subagents_are_masked_too() {
    let store = MemoryStore::new();
    let parent =
        scripted("a:parent", [Turn::calls([spawn("reviewer", "Look")]), Turn::text("done")]);
    let told = format!("the parent's {KEY}");
    let child = scripted("a:child", [Turn::call("leak", json!({})), Turn::text(told)]);
    let agent = leaking(Agent::builder(parent)).subagent(reviewer(&child)).mask(&Mask::of([KEY]));
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    agent.run("Work").in_session("s").await.unwrap();
    for session in ["s", &child_of(&store).await] {
        check(&journal(&store, session).await);
    }
}
