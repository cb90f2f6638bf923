//! What the spans and metrics of a run say.

use legwork_agent::Agent;
use legwork_core::{ModelRequest, Response};
use legwork_otel::{Content, Otlp};
use legwork_port::model::{Deltas, Profile};
use legwork_port::{BoxFuture, Model, RunEvent, model};
use legwork_testkit::{Script, ScriptedModel, Turn};
use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::{Value, json};

use crate::receiver::{Receiver, attribute, count, points, value};
use crate::story::{Echo, SECRET, clerk, delivered, echo, telemetry, used};

/// The spans whose operation is this one.
fn of<'s>(spans: &'s [Span], operation: &str) -> Vec<&'s Span> {
    spans.iter().filter(|span| attribute(span, "gen_ai.operation.name") == operation).collect()
}

fn parent<'s>(spans: &'s [Span], span: &Span) -> &'s str {
    let parent = spans.iter().find(|one| one.span_id == span.parent_span_id);
    parent.map_or("", |parent| &parent.name)
}

#[tokio::test]
async fn s16_1_a_run_is_a_tree_of_spans() {
    let receiver = Receiver::start();
    let telemetry = telemetry(&receiver);
    clerk(&telemetry).build().unwrap().run("go").await.unwrap();
    delivered(telemetry).await.unwrap();
    let spans = receiver.spans();
    let tree: Vec<_> =
        spans.iter().map(|span| format!("{} < {}", span.name, parent(&spans, span))).collect();
    let expected = [
        "chat gpt-5-mini < invoke_agent clerk",
        "execute_tool echo < invoke_agent clerk",
        "execute_tool fails < invoke_agent clerk",
        "chat gpt-5-mini < invoke_agent clerk",
        "chat claude-haiku-4-5 < invoke_agent helper",
        "execute_tool echo < invoke_agent helper",
        "chat claude-haiku-4-5 < invoke_agent helper",
        "invoke_agent helper < execute_tool spawn_subagent",
        "execute_tool spawn_subagent < invoke_agent clerk",
        "chat gpt-5-mini < invoke_agent clerk",
        "invoke_agent clerk < ",
    ];
    assert_eq!(tree, expected);
    assert!(spans.iter().all(|span| span.trace_id == spans[0].trace_id));
    let root = spans.last().unwrap();
    for span in &spans {
        let (began, ended) = (span.start_time_unix_nano, span.end_time_unix_nano);
        assert!(root.start_time_unix_nano <= began && began <= ended, "{}", span.name);
        assert!(ended <= root.end_time_unix_nano, "{}", span.name);
    }
}

#[tokio::test]
async fn s16_2_the_tokens_of_spans_and_metrics_are_those_of_the_ledger() {
    let receiver = Receiver::start();
    let telemetry = telemetry(&receiver);
    let run = clerk(&telemetry).build().unwrap().run("go").await.unwrap();
    delivered(telemetry).await.unwrap();
    let (input, output) = (run.used().input, run.used().output);
    assert_eq!((input, output), (380, 40));
    let spans = receiver.spans();
    for (name, total) in
        [("gen_ai.usage.input_tokens", input), ("gen_ai.usage.output_tokens", output)]
    {
        let chats = of(&spans, "chat").into_iter().map(|span| count(span, name));
        assert_eq!(chats.sum::<u64>(), total, "{name}");
        let root =
            of(&spans, "invoke_agent").into_iter().find(|span| span.parent_span_id.is_empty());
        assert_eq!(count(root.unwrap(), name), total, "{name}");
    }
    let metrics = receiver.metrics();
    let tokens = metrics.iter().find(|metric| metric.name == "gen_ai.client.token.usage");
    let sum: f64 = points(tokens.unwrap()).iter().map(|(_, sum)| sum).sum();
    assert_eq!(sum, (input + output) as f64);
    let cached = of(&spans, "chat")
        .into_iter()
        .map(|span| count(span, "gen_ai.usage.cache_read.input_tokens"));
    assert_eq!(cached.sum::<u64>(), 190);
}

/// Answers after an attempt that failed and may have cost.
struct Retried(ScriptedModel);

impl Model for Retried {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn profile(&self) -> &Profile {
        self.0.profile()
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, model::Error>> {
        Box::pin(async move {
            let response = self.0.infer(request, deltas).await?;
            Ok(Response { charged_attempts: 1, ..response })
        })
    }
}

#[tokio::test]
async fn s16_2_attempts_that_failed_count_as_the_ledger_counts_them() {
    let receiver = Receiver::start();
    let telemetry = telemetry(&receiver);
    let model = ScriptedModel::new([used(Turn::text("ok"), 100, 10)]).named("openai:gpt-5-mini");
    let agent = Agent::builder(Retried(model)).observer(telemetry.clone());
    let run = agent.build().unwrap().run("go").await.unwrap();
    delivered(telemetry).await.unwrap();
    assert!(run.used().input > 100, "{:?}", run.used());
    let spans = receiver.spans();
    let names = ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"];
    let chat = names.map(|name| count(&spans[0], name));
    assert_eq!(chat, [run.used().input, run.used().output]);
}

#[tokio::test]
async fn s16_1_s16_2_what_a_tool_asks_the_model_is_an_inference_of_the_execution() {
    let receiver = Receiver::start();
    let telemetry = telemetry(&receiver);
    let model = ScriptedModel::new(Script::from_fn(|asked| match (asked.last(), asked.turn()) {
        (SECRET, _) => used(Turn::text(SECRET), 20, 3),
        (_, 0) => used(Turn::calls([echo("asks")]), 100, 10),
        _ => used(Turn::text("ok"), 110, 11),
    }));
    let agent = Agent::builder(model.named("openai:gpt-5-mini")).id("clerk");
    let agent = agent.tools([Echo::named("asks")]).observer(telemetry.clone());
    let run = agent.build().unwrap().run("go").await.unwrap();
    delivered(telemetry).await.unwrap();
    let spans = receiver.spans();
    let tree = spans.iter().map(|span| format!("{} < {}", span.name, parent(&spans, span)));
    let mut tree: Vec<_> = tree.collect();
    tree.sort();
    let chat = "chat gpt-5-mini < invoke_agent clerk";
    let tool = "execute_tool asks < invoke_agent clerk";
    assert_eq!(tree, [chat, chat, chat, tool, "invoke_agent clerk < "]);
    let input = of(&spans, "chat").into_iter().map(|chat| count(chat, "gen_ai.usage.input_tokens"));
    assert_eq!((input.sum::<u64>(), run.used().input), (230, 230));
    let said = spans.iter().any(|span| format!("{span:?}").contains(SECRET));
    assert!(!said, "no span has the words of a prompt");
}

#[tokio::test]
async fn s16_3_what_failed_has_a_kind_of_error_and_no_words() {
    let receiver = Receiver::start();
    let telemetry = telemetry(&receiver);
    clerk(&telemetry).build().unwrap().run("go").await.unwrap();
    let refused = Turn::error(model::Error::new(model::Kind::BadRequest, SECRET));
    let agent = Agent::builder(ScriptedModel::new([refused]).named("openai:gpt-5-mini"));
    agent.observer(telemetry.clone()).build().unwrap().run("go").await.unwrap_err();
    delivered(telemetry).await.unwrap();
    let spans = receiver.spans();
    let failed = spans.iter().filter(|span| span.status.as_ref().unwrap().code == 2);
    let failed: Vec<_> = failed.map(|span| (&*span.name, attribute(span, "error.type"))).collect();
    let expected = [
        ("execute_tool fails", "soft".to_owned()),
        ("chat gpt-5-mini", "model".to_owned()),
        ("invoke_agent agent", "model".to_owned()),
    ];
    assert_eq!(failed, expected);
    let durations = receiver.metrics();
    let name = "gen_ai.client.operation.duration";
    let durations = durations.iter().find(|metric| metric.name == name).unwrap();
    let errors =
        points(durations).into_iter().filter(|(about, _)| value(about, "error.type").is_some());
    assert_eq!(errors.count(), 1);
    assert!(!receiver.all().contains(SECRET));
}

#[tokio::test]
async fn s16_4_spans_say_what_was_said_only_when_asked() {
    for content in [Content::Off, Content::On] {
        let receiver = Receiver::start();
        let telemetry = Otlp::to(&receiver.endpoint).content(content).start().unwrap();
        clerk(&telemetry).build().unwrap().run(SECRET).await.unwrap();
        delivered(telemetry).await.unwrap();
        let spans = receiver.spans();
        assert_eq!(receiver.all().contains(SECRET), content == Content::On);
        if content == Content::On {
            let root = spans.last().unwrap();
            let asked = json!([{"role": "user", "parts": [{"type": "text", "content": SECRET}]}]);
            assert_eq!(attribute(root, "gen_ai.input.messages"), asked.to_string());
            let tool = of(&spans, "execute_tool")[0];
            let arguments = json!({"text": SECRET}).to_string();
            assert_eq!(attribute(tool, "gen_ai.tool.call.arguments"), arguments);
            assert_eq!(attribute(tool, "gen_ai.tool.call.result"), arguments);
            let answer = attribute(of(&spans, "chat")[0], "gen_ai.output.messages");
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer[0]["parts"][0]["arguments"], json!({"text": SECRET}));
            assert_eq!(answer[0]["finish_reason"], "tool_calls");
        }
    }
}

#[tokio::test]
async fn s16_2_pieces_are_timed_where_somebody_wants_them() {
    for wanted in [false, true] {
        let receiver = Receiver::start();
        let telemetry = telemetry(&receiver);
        let mut agent = clerk(&telemetry);
        if wanted {
            agent = agent.observer(|_: &RunEvent| {});
        }
        agent.build().unwrap().run("go").await.unwrap();
        delivered(telemetry).await.unwrap();
        let spans = receiver.spans();
        for chat in of(&spans, "chat") {
            assert_eq!(attribute(chat, "gen_ai.request.stream") == "true", wanted);
            let first = attribute(chat, "gen_ai.response.time_to_first_chunk");
            assert_eq!(!first.is_empty(), wanted);
        }
        let name = "gen_ai.client.operation.time_to_first_chunk";
        assert_eq!(receiver.metrics().iter().any(|metric| metric.name == name), wanted);
    }
}

#[tokio::test]
async fn s16_5_the_share_of_traces_that_are_sent_is_chosen_by_trace() {
    let receiver = Receiver::start();
    let telemetry = Otlp::to(&receiver.endpoint).sample(0.5).start().unwrap();
    for _ in 0..60 {
        let agent = Agent::builder(ScriptedModel::new([Turn::text("ok")]));
        agent.observer(telemetry.clone()).build().unwrap().run("go").await.unwrap();
    }
    delivered(telemetry).await.unwrap();
    let spans = receiver.spans();
    let roots = of(&spans, "invoke_agent").len();
    assert!((10..50).contains(&roots), "{roots} of 60");
    assert_eq!(of(&spans, "chat").len(), roots, "a trace is sent whole or not at all");
}
