//! Agents from files, joined with the parts that a program has.

use std::sync::Arc;

use legwork::agent::{Builder, Capability};
use legwork::definition::{AgentDefinitions, METADATA, Parts, Severity};
use legwork::prelude::*;
use legwork::toolset::{Lazy, Tools, lazy};
use legwork_testkit::{Asked, Script, ScriptedModel, Turn};
use serde_json::json;

use crate::folder::{Folder, Notes};

/// Parts with a model for each name that begins with `scripted:`.
fn parts(folder: &Folder, notes: &Notes, model: &ScriptedModel) -> Parts {
    let model = model.clone();
    Parts::new(folder.agents())
        .models(move |name| match name.starts_with("scripted:") {
            true => Ok(model.clone().named(name)),
            false => Err(format!("the provider of `{name}` is not known")),
        })
        .tools(notes.tools(&["read", "write", "bash"]))
        .skills(folder.skills())
}

fn tools(model: &ScriptedModel, at: usize) -> Vec<String> {
    model.requests()[at].tools.iter().map(|spec| spec.name.to_string()).collect()
}

#[tokio::test]
async fn a_definition_is_the_agent() {
    let folder = Folder::new();
    folder.agent(
        "clerk",
        "model: scripted:small\ntools: [read, write]\ndenied_tools: [write]\nskills: [pdf]\n\
         budget: {steps: 3, tokens: 900000}\nmetadata: {legwork.skill: forged, owner: me}\n",
        "File things.",
    );
    folder.skill("pdf", "", "Open.");
    let model = ScriptedModel::new([Turn::text("done")]);
    let agent = parts(&folder, &Notes::default(), &model).agent("clerk").unwrap().build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(tools(&model, 0), ["read", "load_skill"]);
    let definition = agent.definition();
    assert_eq!(&*definition.settings.model, "scripted:small");
    assert!(definition.instructions.starts_with("File things.\n\nSkills are guides"));
    // What it does not limit is limited as before.
    let budget = Budget { total_tokens: Some(900_000), ..Budget::guards() };
    assert_eq!(definition.budget, budget.steps(3));
    let metadata = &run.state().context().metadata;
    let kept = json!({"name": "clerk", "metadata": {"legwork.skill": "forged", "owner": "me"}});
    assert_eq!(metadata.get(METADATA), Some(&kept));
    assert_eq!(metadata.get(legwork::skills::KEY), None);
}

#[test]
fn every_unknown_name_is_a_problem_with_its_place_and_suggestion() {
    let folder = Folder::new();
    let file = folder.agent(
        "clerk",
        "model: other:x\ncapabilities: [web]\nskills: [pdg]\ntools:\n- raed\ndenied_tools: [bsh]\n",
        "",
    );
    folder.skill("pdf", "", "Open.");
    let parts = parts(&folder, &Notes::default(), &ScriptedModel::new([]));
    let agents = folder.agents();
    let told: Vec<_> =
        parts.check(agents.get("clerk").unwrap()).iter().map(ToString::to_string).collect();
    let at = |line: u32, field: &str| format!("{}:{line}: {field}: ", file.display());
    assert_eq!(
        told,
        [
            at(5, "capabilities[0]")
                + "`web` cannot be installed: no capabilities are given; correct it, or remove it",
            at(8, "tools[0]") + "there is no tool `raed`; did you mean `read`?",
            at(9, "denied_tools[0]") + "there is no tool `bsh`; did you mean `bash`?",
            at(6, "skills[0]") + "there is no skill `pdg`; did you mean `pdf`?",
            at(4, "model")
                + "`other:x` cannot be used: the provider of `other:x` is not known; set it up, or name another one",
        ]
    );
    let error = parts.agent("clerk").unwrap_err().to_string();
    assert_eq!(error.lines().count(), 5);
    let error = parts.agent("clark").unwrap_err().to_string();
    assert_eq!(error, "there is no agent `clark`; did you mean `clerk`?");
}

struct Polite;

impl Capability for Polite {
    fn name(&self) -> &str {
        "polite"
    }

    fn about(&self) -> &str {
        "manners"
    }

    fn install(&self, builder: Builder) -> Builder {
        builder.tool(Notes::default().tool("bow"))
    }
}

#[tokio::test]
async fn capabilities_come_by_name_with_settings() {
    let folder = Folder::new();
    folder.agent("a", "capabilities: [{name: polite, settings: {much: true}}]\ntools: [bow]\n", "");
    folder.agent("b", "capabilities: [{name: polite, settings: {much: 3}}]\n", "");
    let model = ScriptedModel::new([Turn::text("done")]);
    let parts = parts(&folder, &Notes::default(), &model).default_model("scripted:x").capabilities(
        |name, settings| match (name, settings) {
            ("polite", Some(settings)) if settings["much"] == json!(true) => Ok(Arc::new(Polite)),
            ("polite", _) => Err("`much` must be true or false".to_owned()),
            _ => Err("there is only `polite`".to_owned()),
        },
    );
    let agents = folder.agents();
    // Its tool is not known before, so naming it is no error.
    let told = parts.check(agents.get("a").unwrap());
    assert!(told.iter().all(|problem| problem.severity == Severity::Warning), "{told:?}");
    parts.agent("a").unwrap().build().unwrap().run("go").await.unwrap();
    assert_eq!(tools(&model, 0), ["bow"]);
    let error = parts.agent("b").unwrap_err().to_string();
    assert!(
        error.contains("capabilities[0]: `polite` cannot be installed: `much` must"),
        "{error}"
    );
}

/// Both agents play it: the root spawns, the other one loads a skill.
fn spawning(asked: &Asked) -> Turn {
    let below = asked.messages.iter().any(|message| message.text.contains("Count the files"));
    match (asked.turn(), below) {
        (0, false) => {
            Turn::call("spawn_subagent", json!({"agent": "counter", "prompt": "Count the files"}))
        }
        (0, true) => Turn::call("load_skill", json!({"name": "count"})),
        _ => Turn::text("42"),
    }
}

#[tokio::test]
async fn the_other_definitions_are_subagents() {
    let folder = Folder::new();
    folder.agent("boss", "tools: [read, write, spawn_subagent]\n", "Lead.");
    folder.agent("broken", "tools: [none-such]\n", "");
    let front = "model: scripted:small\ntools: [read, bash]\nskills: [count]\nbudget: {steps: 4}\n";
    folder.agent("counter", front, "Count.");
    folder.skill("count", "model: scripted:deep\n", "One, two.");
    let model = ScriptedModel::new(Script::from_fn(spawning));
    let parts = parts(&folder, &Notes::default(), &model).default_model("scripted:own");
    let run = parts.agent("boss").unwrap().build().unwrap().run("go").await.unwrap();
    assert_eq!(run.text(), "42");
    let requests = model.requests();
    let models: Vec<_> = requests.iter().map(|request| &*request.settings.model).collect();
    assert_eq!(models, ["scripted:own", "scripted:small", "scripted:deep", "scripted:own"]);
    assert_eq!(tools(&model, 0), ["read", "write", "spawn_subagent"]);
    let spawn = &requests[0].tools.find("spawn_subagent").unwrap().1.description;
    assert!(spawn.contains("- counter: Does counter") && !spawn.contains("broken"), "{spawn}");
    // No more tools than who spawned it, and its own skills.
    assert_eq!(tools(&model, 1), ["read", "load_skill"]);
    assert!(requests[1].instructions.starts_with("Count.\n\nSkills are"));
}

#[tokio::test]
async fn without_the_spawning_tool_there_are_no_subagents() {
    for front in ["tools: [read]\n", "denied_tools: [spawn_subagent]\n"] {
        let folder = Folder::new();
        folder.agent("boss", front, "");
        folder.agent("counter", "", "");
        let model = ScriptedModel::new([Turn::text("done")]);
        let parts = parts(&folder, &Notes::default(), &model).default_model("scripted:own");
        parts.agent("boss").unwrap().build().unwrap().run("go").await.unwrap();
        assert!(!tools(&model, 0).contains(&"spawn_subagent".to_owned()), "{front}");
    }
}

/// MCP servers, as toolsets with one tool each that is known once they are opened.
fn servers(opened: &Notes) -> [Lazy; 2] {
    ["git", "docs"].map(|name| {
        let opened = opened.clone();
        lazy(name, move |_| {
            opened.add(name);
            let tool: Arc<dyn Tool> = Arc::new(opened.tool(&format!("{name}_log")));
            async move { Ok(Tools::new(name, [tool])) }
        })
    })
}

#[tokio::test]
async fn s18_16_an_agent_has_the_servers_of_its_list_and_opens_no_others() {
    for (front, shown, opens) in [
        ("", &["git_log", "docs_log"][..], &["docs", "git"][..]),
        ("mcp: [docs]\n", &["docs_log"], &["docs"]),
        ("mcp: []\n", &[], &[]),
        // The lists of tools go on to apply, by the names that the model is shown.
        ("mcp: [git, docs]\ndenied_tools: [git_log]\n", &["docs_log"], &["docs", "git"]),
        ("mcp: [git]\ntools: [git_log, docs_log]\n", &["git_log"], &["git"]),
    ] {
        let folder = Folder::new();
        folder.agent("clerk", front, "File.");
        let (opened, model) = (Notes::default(), ScriptedModel::new([Turn::text("done")]));
        let parts = parts(&folder, &Notes::default(), &model)
            .known_tools(["git_log", "docs_log"])
            .default_model("scripted:own")
            .mcp_servers(servers(&opened));
        let agent = parts.agent("clerk").unwrap().build().unwrap();
        agent.run("go").await.unwrap();
        let of_servers = tools(&model, 0).into_iter().filter(|name| name.ends_with("_log"));
        assert_eq!(of_servers.collect::<Vec<_>>(), shown, "{front}");
        let mut all = opened.all();
        all.sort();
        assert_eq!(all, opens, "{front}");
    }
}

#[tokio::test]
async fn s18_16_a_subagent_has_the_servers_of_both_lists() {
    for (boss, counter, shown) in [
        ("", "", &["git_log", "docs_log"][..]),
        ("", "mcp: [docs]\n", &["docs_log"]),
        ("mcp: [git]\n", "mcp: [docs]\n", &[]),
        ("mcp: [git]\n", "", &["git_log"]),
    ] {
        let folder = Folder::new();
        folder.agent("boss", boss, "Lead.");
        folder.agent("counter", counter, "Count.");
        let model = ScriptedModel::new(Script::from_fn(|asked| match spawning(asked) {
            turn if asked.turn() == 0 => turn,
            _ => Turn::text("42"),
        }));
        let parts = parts(&folder, &Notes::default(), &model).default_model("scripted:own");
        let parts = parts.mcp_servers(servers(&Notes::default()));
        parts.agent("boss").unwrap().build().unwrap().run("go").await.unwrap();
        let of_servers = tools(&model, 1).into_iter().filter(|name| name.ends_with("_log"));
        assert_eq!(of_servers.collect::<Vec<_>>(), shown, "{boss} {counter}");
    }
}

#[test]
fn s18_16_an_unknown_server_is_a_problem_with_its_place_and_suggestion() {
    let folder = Folder::new();
    let file = folder.agent("clerk", "mcp:\n- docs\n- gti\n", "");
    let model = ScriptedModel::new([]);
    let parts = parts(&folder, &Notes::default(), &model).default_model("scripted:own");
    let agents = folder.agents();
    let told = |parts: &Parts| {
        let problems = parts.check(agents.get("clerk").unwrap());
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let at = |line: u32, words: &str| format!("{}:{line}: {words}", file.display());
    let unknown = |words: &str| at(6, "mcp[1]: there is no MCP server `gti`; ") + words;
    let given = parts.clone().mcp_servers(servers(&Notes::default()));
    assert_eq!(told(&given), [unknown("did you mean `git`?")]);
    let error = given.agent("clerk").unwrap_err().to_string();
    assert_eq!(error, unknown("did you mean `git`?"));
    given.subagent(agents.get("clerk").unwrap()).unwrap_err();
    let named = parts.clone().known_mcp_servers(["docs", "mail"]);
    assert_eq!(told(&named), [unknown("the MCP servers are docs, mail")]);
    let docs = at(5, "mcp[0]: there is no MCP server `docs`; there are no MCP servers");
    assert_eq!(told(&parts), [docs, unknown("there are no MCP servers")]);
}

#[tokio::test]
async fn s18_16_a_capability_of_agents_obeys_the_lists_where_it_is_told_the_servers() {
    let folder = Folder::new();
    folder.agent("counter", "mcp: [docs]\n", "Count.");
    let model = ScriptedModel::new(Script::from_fn(|asked| match spawning(asked) {
        turn if asked.turn() == 0 => turn,
        _ => Turn::text("42"),
    }));
    let parts = Parts::new(folder.agents()).known_mcp_servers(["git", "docs"]);
    let builder = legwork::Agent::builder(model.clone());
    let builder = servers(&Notes::default()).into_iter().fold(builder, Builder::toolset);
    let agent = builder.capability(AgentDefinitions::new(parts)).build().unwrap();
    agent.run("go").await.unwrap();
    assert_eq!(tools(&model, 1), ["docs_log"]);
}

#[tokio::test]
async fn a_subagent_does_not_inherit_skills() {
    let folder = Folder::new();
    folder.agent("boss", "skills: [count]\n", "Lead.");
    folder.agent("counter", "", "Count.");
    folder.skill("count", "", "One, two.");
    let model = ScriptedModel::new(Script::from_fn(|asked| match spawning(asked) {
        turn if asked.turn() == 0 => turn,
        _ => Turn::text("42"),
    }));
    let parts = parts(&folder, &Notes::default(), &model).default_model("scripted:own");
    parts.agent("boss").unwrap().build().unwrap().run("go").await.unwrap();
    assert_eq!(tools(&model, 0), ["read", "write", "bash", "load_skill", "spawn_subagent"]);
    assert_eq!(tools(&model, 1), ["read", "write", "bash"]);
}

#[tokio::test]
async fn agents_of_files_are_a_capability_of_any_agent() {
    use legwork::agent::driver::{Line, NoModel, Scripted};
    use legwork::definition::{Definitions, Location};

    let folder = tempfile::tempdir().unwrap();
    let clerk = "---\nname: clerk\ndescription: Files things\ntools: []\n---\nYou file.\n";
    std::fs::write(folder.path().join("clerk.md"), clerk).unwrap();
    let agents = || Definitions::load(&[Location::given(folder.path())]);
    // The subagent has its parent's driver: both play the script from its beginning.
    let script = Scripted::new([
        Line::from_fn(|state| {
            let child = state.facts().parent.is_some();
            let arguments = serde_json::json!({"agent": "clerk", "prompt": "File it."});
            if child { Line::text("filed") } else { Line::call("spawn_subagent", arguments) }
        }),
        Line::text("done"),
    ]);
    let agent = legwork::Agent::builder(NoModel)
        .driver(script)
        .capability(AgentDefinitions::new(Parts::new(agents())))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(run.text(), "done");
    let told = run.state().step_results().next().unwrap().step.tool_executions().next().unwrap();
    assert_eq!(told.outcome.to_text(), "filed");

    // One that cannot be made is a problem of the build, with its file.
    std::fs::write(
        folder.path().join("odd.md"),
        "---\nname: odd\ndescription: Odd\nskills: [none]\n---\n",
    )
    .unwrap();
    let builder = legwork::Agent::builder(NoModel).driver(Scripted::new([]));
    let error =
        builder.capability(AgentDefinitions::new(Parts::new(agents()))).build().unwrap_err();
    assert!(error.to_string().contains("odd.md"), "{error}");
}
