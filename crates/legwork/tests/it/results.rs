//! The results of tools: text, JSON, images and files, and what is above the size policy.

use legwork::prelude::*;
use legwork::tool::{File, Image, MediaSource, ResultLimit, ResultPart, from_fn};
use legwork::toolset::Tools;
use legwork_core::message::Part;
use legwork_core::{Event, ModelRequest};
use legwork_testkit::{ScriptedModel, Turn};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

fn png() -> Image {
    Image { media_type: "image/png".to_owned(), source: MediaSource::Base64("iVBORw==".to_owned()) }
}

/// Draws.
#[tool(read_only)]
fn draw() -> ToolOutcome {
    let name = Some("plan.pdf".to_owned());
    let source = MediaSource::Base64("JVBERg==".to_owned());
    let file = File { name, media_type: "application/pdf".to_owned(), source };
    ToolOutcome::parts([
        ResultPart::Text("A plan:".to_owned()),
        ResultPart::Json(json!({"rooms": 3})),
        ResultPart::Image(png()),
        ResultPart::File(file),
    ])
}

/// Looks at a place, if it is there.
#[tool(read_only)]
fn look(place: String) -> Result<Image, String> {
    if place == "here" { Ok(png()) } else { Err(format!("there is no {place}")) }
}

/// Looks at one thing.
#[tool(read_only)]
fn one() -> ResultPart {
    ResultPart::Image(png())
}

/// The parts of the results that the model read, in the order of its requests.
fn read(request: &ModelRequest) -> Vec<Vec<ResultPart>> {
    let parts = request.messages().iter().flat_map(|message| message.parts.clone());
    let results = parts.filter_map(|part| match part {
        Part::ToolResult(result) => Some(result.parts),
        _ => None,
    });
    results.collect()
}

#[tokio::test]
async fn s6_9_text_json_images_and_files_reach_the_model_in_their_order() {
    let calls = Turn::calls([("draw", json!({})), ("photo", json!({}))]);
    let model = ScriptedModel::new([calls, Turn::text("done")]);
    let photo = from_fn("photo", "Takes a photo.", png);
    let agent = Agent::builder(model.clone()).tool(draw).tool(photo).build().unwrap();
    agent.run("go").await.unwrap();
    let all = read(&model.requests()[1]);
    let [plan, photo] = &all[..] else { panic!("{all:?}") };
    let given = legwork_testkit::tool::call(&draw, json!({})).await;
    assert_eq!(Some(plan), given.output().map(|output| &output.0));
    assert_eq!(photo[..], [ResultPart::Image(png())]);
}

#[tokio::test]
async fn s6_9_a_function_returns_an_image_as_what_it_is() {
    use legwork_testkit::tool::call;
    let image = ToolOutcome::parts([ResultPart::Image(png())]);
    assert_eq!(call(&look, json!({"place": "here"})).await, image);
    assert_eq!(call(&one, json!({})).await, image);
    let there = call(&look, json!({"place": "there"})).await;
    assert_eq!(there, ToolOutcome::failed("there is no there"));
}

/// Reads lines.
#[tool(read_only, max_result = 9, rest = "Call it again with a higher `from`.")]
fn lines(from: u32) -> String {
    (from..from + 4).map(|n| format!("line {n}\n")).collect()
}

#[derive(Deserialize, JsonSchema)]
struct Asked {
    bytes: usize,
}

fn long(name: &str) -> legwork::tool::Closure {
    from_fn(name, "Is long.", |asked: Asked| "x".repeat(asked.bytes))
}

/// What the model read of calls, one a step, with the metadata of their outcomes in the journal.
async fn told(agent: legwork::agent::Builder, model: &ScriptedModel) -> (Vec<String>, Vec<Value>) {
    let store = legwork::agent::memory::MemoryStore::new();
    let agent = agent.store_in(std::sync::Arc::new(store)).build().unwrap();
    let run = agent.run("go").await.unwrap();
    let last = model.requests().pop().unwrap();
    let texts = read(&last).into_iter().map(|parts| {
        parts.iter().map(|part| part.text().into_owned()).collect::<Vec<_>>().join("\n")
    });
    let journal = agent.session(run.state().session().clone()).journal().await.unwrap();
    let cuts = journal.entries().iter().filter_map(|entry| match &entry.event {
        Event::ToolFinished(finished) => Some(finished.metadata.get("cut").cloned()),
        _ => None,
    });
    (texts.collect(), cuts.flatten().collect())
}

#[tokio::test]
async fn s6_9_a_result_above_the_limit_is_cut_with_a_note_how_to_read_the_rest() {
    let calls = [
        Turn::call("lines", json!({"from": 1})),
        Turn::call("free", json!({"bytes": 21})),
        Turn::call("free", json!({"bytes": 20})),
        Turn::call("kept_short", json!({"bytes": 11})),
        Turn::call("own", json!({"bytes": 11})),
        Turn::text("done"),
    ];
    let model = ScriptedModel::new(calls);
    let tools = [long("kept_short").into(), long("own").max_result(9).into()];
    let agent = Agent::builder(model.clone())
        .tool(lines)
        .tool(long("free"))
        .toolset(Tools::new("short", tools).max_result(10))
        .result_limit(ResultLimit { text: 20, ..ResultLimit::default() });
    let (texts, cuts) = told(agent, &model).await;
    let rest = "The rest is not kept: to read it, ask for less at a time.";
    let cut = |shown: usize, of: usize, rest: &str| {
        format!("{}\n[Cut: the first {shown} of {of} bytes are shown. {rest}]", "x".repeat(shown))
    };
    let first =
        "line 1\n\n[Cut: the first 7 of 28 bytes are shown. Call it again with a higher `from`.]";
    assert_eq!(texts[0], first);
    assert_eq!(texts[1], cut(20, 21, rest));
    assert_eq!(texts[2], "x".repeat(20));
    assert_eq!((&texts[3], &texts[4]), (&cut(10, 11, rest), &cut(9, 11, rest)));
    let seen = |shown: u64, of: u64| json!({"shown": shown, "of": of, "media": 0});
    assert_eq!(cuts, [seen(7, 28), seen(20, 21), seen(10, 11), seen(9, 11)]);
}

#[tokio::test]
async fn s6_9_by_default_a_result_of_a_megabyte_is_cut() {
    let model =
        ScriptedModel::new([Turn::call("free", json!({"bytes": 1 << 20})), Turn::text("ok")]);
    let (texts, cuts) = told(Agent::builder(model.clone()).tool(long("free")), &model).await;
    assert!(texts[0].len() < 263_000 && texts[0].contains("[Cut: the first 262144 of 1048576"));
    assert_eq!(cuts.len(), 1);
}

/// Counts.
#[tool(read_only, validate = |to: &u32| if *to < 1_000 { Ok(()) } else { Err("too many") })]
fn count(to: u32) -> String {
    (0..to).map(|n| format!("{n} é\n")).collect()
}

#[tokio::test]
async fn s6_9_the_pages_of_a_result_are_all_of_it() {
    let whole: String = (0..100).map(|n| format!("{n} é\n")).collect();
    let set = || Tools::new("counts", [count.into()]).paged(101);
    let spec = set().tools().unwrap()[0].spec();
    assert_eq!(spec.parameters["properties"]["offset"]["minimum"], 0);
    let (mut all, mut offset, mut pages) = (String::new(), 0, 0);
    while offset < whole.len() {
        let call = Turn::call("count", json!({"to": 100, "offset": offset}));
        let model = ScriptedModel::new([call, Turn::text("done")]);
        let agent = Agent::builder(model.clone()).toolset(set()).build().unwrap();
        agent.run("go").await.unwrap();
        let parts = read(&model.requests()[1]).remove(0);
        let [ResultPart::Text(page), ResultPart::Text(note)] = &parts[..] else {
            panic!("{parts:?}")
        };
        assert!(
            page.len() <= 101 && note.contains(&format!("of {} are shown", whole.len())),
            "{note}"
        );
        all.push_str(page);
        let next = note.split("`offset`: ").nth(1).map(|rest| rest.trim_end_matches(".]"));
        offset = next.map_or(whole.len(), |next| next.parse().unwrap());
        pages += 1;
    }
    assert_eq!((all, pages), (whole, 6));
}

#[tokio::test]
async fn s6_9_a_page_is_not_cut_by_the_limit_of_its_tool() {
    let long = from_fn("long", "Is long.", || "x".repeat(30_000)).read_only().max_result(10_000);
    let set = Tools::new("s", [long.into()]).paged(20_000);
    let model = ScriptedModel::new([Turn::call("long", json!({})), Turn::text("done")]);
    let agent = Agent::builder(model.clone()).toolset(set).build().unwrap();
    agent.run("go").await.unwrap();
    let parts = read(&model.requests()[1]).remove(0);
    let [ResultPart::Text(page), ResultPart::Text(note)] = &parts[..] else { panic!("{parts:?}") };
    assert!(page.len() == 20_000 && note.contains("`offset`: 20000"), "{note}");
}

#[tokio::test]
async fn s6_9_a_page_passes_the_checks_of_its_tool_and_a_short_result_has_none() {
    let calls = [
        Turn::call("count", json!({"to": 2_000, "offset": 1})),
        Turn::call("count", json!({"to": 2, "offset": -1})),
        Turn::call("count", json!({"to": 2})),
        Turn::call("count", json!({"to": 2, "offset": 99.0})),
        Turn::text("done"),
    ];
    let model = ScriptedModel::new(calls);
    let set = Tools::new("counts", [count.into()]).paged(100);
    let (texts, _) = told(Agent::builder(model.clone()).toolset(set), &model).await;
    assert!(texts[0].starts_with("The arguments are not valid: too many."), "{}", texts[0]);
    assert!(texts[1].starts_with("The arguments do not fit: at /offset"), "{}", texts[1]);
    assert_eq!(texts[2], "0 é\n1 é\n");
    assert_eq!(texts[3], "\n[Bytes 10 to 10 of 10 are shown: this is the end.]");
}

#[test]
fn a_tool_that_may_not_run_again_has_no_pages() {
    let set = Tools::new("s", [long("once").into()]).paged(10);
    let known = set.tools().unwrap();
    assert!(known[0].spec().parameters["properties"].get("offset").is_none());
    assert_eq!(known[0].chain().iter().map(|name| &**name).collect::<Vec<_>>(), ["s", "paged(10)"]);
}
