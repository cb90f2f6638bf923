//! Files, commands and coding as capabilities.

use std::fs;
use std::path::Path;

use legwork::Agent;
use legwork::capability::{self, Registry};
use legwork::core::{AgentState, ToolOutcome};
use legwork::tools::Environment;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

fn registry() -> Registry {
    capability::shipped(&Environment::filtered([("PATH", "/usr/local/bin:/usr/bin:/bin")]))
}

fn refused(name: &str, settings: Value) -> String {
    registry().make(name, &settings).err().unwrap().to_string()
}

/// Calls in one turn each, and what came of them.
async fn told(name: &str, settings: Value, calls: &[(&str, Value)]) -> Vec<ToolOutcome> {
    let turn = |(tool, arguments): &(&str, Value)| Turn::call(*tool, arguments.clone());
    let turns: Vec<_> = calls.iter().map(turn).chain([Turn::text("done")]).collect();
    let made = registry().make(name, &settings).unwrap();
    let agent = Agent::builder(ScriptedModel::new(turns)).capabilities([made]).build().unwrap();
    outcomes(agent.run("go").await.unwrap().state())
}

fn outcomes(state: &AgentState) -> Vec<ToolOutcome> {
    let executions = state.step_results().flat_map(|result| result.step.tool_executions());
    executions.map(|execution| (*execution.outcome).clone()).collect()
}

async fn tools(name: &str, settings: Value) -> Vec<String> {
    let made = registry().make(name, &settings).unwrap();
    let model = ScriptedModel::new([Turn::text("done")]);
    let agent = Agent::builder(model).capabilities([made]).build().unwrap();
    let tools = agent.describe().await.tools;
    assert!(tools.iter().all(|tool| tool.from.as_deref() == Some(name)));
    tools.into_iter().map(|tool| tool.name).collect()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_registry_has_all_capabilities() {
    let registry = registry();
    let names: Vec<_> = registry.list().map(|(name, _)| name).collect();
    let all = [
        "ask_user",
        "bash",
        "coding",
        "files",
        "guards",
        "history",
        "metadata",
        "system_prompt",
        "tasks",
    ];
    assert_eq!(names, all);
    for (name, about) in registry.list() {
        let made = registry.make(name, &json!({})).unwrap();
        assert_eq!((made.name(), made.about()), (name, about));
    }
    assert!(refused("code", json!({})).contains("did you mean `coding`?"));
}

#[tokio::test]
async fn settings_choose_the_tools() {
    let files = ["read", "write", "edit", "list", "search"];
    assert_eq!(tools("files", json!({})).await, files);
    assert_eq!(tools("files", json!({"access": "read_only"})).await, ["read", "list", "search"]);
    assert_eq!(tools("bash", json!({})).await, ["bash", "bash_output"]);
    assert_eq!(tools("bash", json!({"background": false})).await, ["bash"]);
    let both = [&files[..], &["bash", "bash_output"]].concat();
    assert_eq!(tools("coding", json!({"questions": false})).await, both);
    assert_eq!(tools("coding", json!({})).await, [&both[..], &["ask_user"]].concat());
}

#[tokio::test]
async fn coding_works_on_files_and_with_commands_in_one_workspace() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "one\n").unwrap();
    let settings = json!({"dir": path(folder.path()), "sandbox": "off"});
    let outcomes = told(
        "coding",
        settings,
        &[
            ("read", json!({"path": "a.txt"})),
            ("write", json!({"path": "b.txt", "content": "two\n"})),
            ("bash", json!({"command": "cat a.txt b.txt > c.txt && cat c.txt"})),
            ("search", json!({"pattern": "two"})),
            ("read", json!({"path": "../outside"})),
        ],
    )
    .await;
    assert!(outcomes[..4].iter().all(ToolOutcome::is_ok), "{outcomes:?}");
    assert!(outcomes[2].to_text().contains("one\ntwo"), "{outcomes:?}");
    assert!(!outcomes[4].is_ok(), "{outcomes:?}");
    assert_eq!(fs::read_to_string(folder.path().join("c.txt")).unwrap(), "one\ntwo\n");
}

#[tokio::test]
async fn commands_see_the_environment_that_was_given_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let settings = json!({"dir": path(folder.path()), "sandbox": "off"});
    let outcomes = told("bash", settings, &[("bash", json!({"command": "env"}))]).await;
    let shown = outcomes[0].to_text();
    assert!(shown.contains("PATH=/usr/local/bin:/usr/bin:/bin"), "{shown}");
    // The test runner sets this for every test.
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !shown.contains("CARGO"),
        "{shown}"
    );
}

#[tokio::test]
async fn by_default_commands_are_confined_or_refused() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let target = outside.path().join("escaped");
    let command = json!({"command": format!("touch {} && echo out", path(&target))});
    let settings = json!({"dir": path(folder.path())});
    let outcomes = told("bash", settings, &[("bash", command)]).await;
    // Behind walls the place is another one, or cannot be written.
    assert!(!target.exists(), "{outcomes:?}");
}

#[tokio::test]
async fn further_paths_are_read_or_changed_as_the_settings_say() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (work, other) = (folders[0].path(), folders[1].path());
    fs::write(other.join("a.txt"), "one\n").unwrap();
    let file = |name: &str| path(&other.join(name)).to_owned();
    let calls = [
        ("read", json!({"path": file("a.txt")})),
        ("write", json!({"path": file("b.txt"), "content": "two\n"})),
    ];
    for (field, may) in [("read_only", [true, false]), ("read_write", [true, true])] {
        let settings = json!({"dir": path(work), field: [path(other)]});
        let outcomes = told("files", settings, &calls).await;
        let did: Vec<_> = outcomes.iter().map(ToolOutcome::is_ok).collect();
        assert_eq!(did, may, "{field}: {outcomes:?}");
    }
    let outcomes = told("files", json!({"dir": path(work)}), &calls).await;
    assert!(!outcomes.iter().any(ToolOutcome::is_ok), "{outcomes:?}");
}

#[tokio::test]
async fn the_prompt_names_the_workspace_and_only_tools_that_exist() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let settings = json!({"dir": path(folder.path()), "read_only": [path(other.path())]});
    let build = |builder: legwork::agent::Builder| {
        let coding = registry().make("coding", &settings).unwrap();
        let agent = builder.capabilities([coding]).build().unwrap();
        agent.definition().instructions.to_string()
    };
    let model = || ScriptedModel::new([Turn::text("done")]);
    let whole = build(Agent::builder(model()));
    let root = folder.path().canonicalize().unwrap();
    assert!(whole.starts_with(&format!("The workspace is {};", root.display())), "{whole}");
    assert!(whole.contains("(to be read, by absolute paths)"), "{whole}");
    assert!(whole.contains("with `edit`") && whole.contains("Run what the project has"), "{whole}");
    let bash = registry().make("bash", &settings).unwrap();
    let bash = Agent::builder(model()).capabilities([bash]).build().unwrap();
    let told = &bash.definition().instructions;
    assert!(
        told.starts_with(&format!("Commands run in {}.\nBeside it: ", root.display())),
        "{told}"
    );
    let reads = build(Agent::builder(model()).only_tools(["read"]));
    assert!(!reads.contains("`edit`") && !reads.contains("Run what"), "{reads}");
}

#[test]
fn wrong_settings_name_the_field_and_what_it_takes() {
    let gone = refused("files", json!({"dir": "/no/such/place"}));
    assert!(gone.contains("`dir`: ") && gone.contains("/no/such/place"), "{gone}");
    for (name, settings, told) in [
        ("bash", json!({"sandbox": "none"}), "`sandbox` takes `auto`, `bubblewrap`, `landlock` or"),
        ("bash", json!({"sandbox": false}), "not false"),
        ("coding", json!({"network": "on"}), "`network` takes `off`, `all` or a list of hosts"),
        ("coding", json!({"network": ["a.org", "localhost"]}), "`network` takes `off`"),
        ("files", json!({"access": "all"}), "`access` takes `read_only` or `read_write`"),
        ("files", json!({"sandbox": "off"}), "there is no field `sandbox`: there are access, dir"),
        ("bash", json!({"directory": "."}), "there is no field `directory`"),
        ("bash", json!({"read_only": "/etc"}), "`read_only` takes a list of texts"),
        ("bash", json!({"read_only": ["/no/such/place"]}), "`read_only`: "),
    ] {
        let error = refused(name, settings);
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn coding_with_bash_is_a_build_error_that_names_the_tool() {
    let both = ["bash", "coding"].map(|name| registry().make(name, &json!({})).unwrap());
    let model = ScriptedModel::new([Turn::text("done")]);
    let error = Agent::builder(model).capabilities(both).build().unwrap_err().to_string();
    assert!(error.contains("two tools are named `bash`"), "{error}");
}
