//! What a trusted project may not do: replace the user's own, name a server, widen.

use std::fs;

use crate::agents::agent;
use crate::home::{Home, ran};
use crate::trusted::{fill, server, told};

#[test]
fn s13_8_the_persons_own_agent_wins_and_the_projects_is_named_by_project() {
    let (home, server) = (Home::new(), server());
    fill(&home.work());
    home.file(
        ".config/legwork/agents/reviewer.md",
        &agent("reviewer", "tools: [read]\n", "Say OWN."),
    );
    home.file(
        ".config/legwork/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Say OWNSKILL\n---\n",
    );
    let run = home.ran_with(&server, &["run", "--json", "--agent", "reviewer", "Go"]).ends(0);
    assert!(told(&server).contains("Say OWN.") && !told(&server).contains("Say AGENT."));
    assert_eq!(server.requests().pop().unwrap().asked.tools, ["read"]);
    let warning = run.events().into_iter().find(|event| event["type"] == "warning").unwrap();
    assert!(warning.to_string().contains("--agent project:reviewer"), "{warning}");
    let args = ["run", "--json", "--agent", "project:reviewer", "Go"];
    let ran = home.ran_with(&server, &args).ends(0);
    assert!(ran.out.contains("the skill pdf is your own"), "{}", ran.out);
    let id = ran.session();
    // Its skill of the person's name is the person's.
    assert!(told(&server).contains("Say AGENT.") && told(&server).contains("Say OWNSKILL"));
    home.ran_with(&server, &["run", "--session", &id, "More"]).ends(0);
    assert!(told(&server).contains("Say AGENT."));
    home.ran(&["agents", "show", "project:reviewer"]).ends(0);
    home.ran_with(&server, &["run", "--agent", "project:none", "Go"])
        .ends(2)
        .says("no agent \"none\"");
}

#[test]
fn s13_8_a_project_names_no_server() {
    let (home, server) = (Home::new(), server());
    let asked = || server.requests().pop().unwrap().asked.model;
    let run = |args: &[&str]| {
        let mut command = home.with(&server, &[&["run"], args, &["Go"]].concat());
        command.env_remove("LEGWORK_MODEL").env("OPENAI_API_KEY", "sk-none");
        ran(command).ends(0)
    };
    home.settings("model = 'test:mine'");
    for model in ["vllm:x", "ollama:x", "llamacpp:x", "lmstudio:x", "unknown:x", "groq:x"] {
        home.project(&format!("model = '{model}'"));
        home.file("work/.legwork/agents/a.md", &agent("a", &format!("model: {model}\n"), ""));
        home.file("work/x.md", &agent("x", &format!("model: {model}\n"), ""));
        let cases: [(&[&str], &str); 4] = [
            (&[], "legwork.toml:1"),
            (&["--agent", "a"], "a.md"),
            (&["--agent", "project:a"], "a.md"),
            (&["--agent", "x.md"], "x.md"),
        ];
        for (args, place) in cases {
            let told = run(args);
            assert_eq!(asked(), "mine", "{model} {args:?}");
            let words = format!("the model {model} in ");
            let told = told.says(&words).says(place).says("is not taken");
            told.says("[providers.");
        }
    }
    // Where the person names the provider, or has its key, the project may say which model.
    home.project("model = 'test:theirs'");
    run(&[]);
    assert_eq!(asked(), "theirs");
    home.project("model = 'openai:theirs'");
    run(&[]);
    assert_eq!(asked(), "theirs");
    home.settings(&format!("[providers.vllm]\nbase_url = '{}'\n", server.base_url()));
    home.project("model = 'vllm:theirs'");
    run(&[]);
    assert_eq!(asked(), "theirs");
}

#[test]
fn s13_8_a_subagent_or_skill_of_a_project_names_no_server() {
    let (home, server) = (Home::new(), server());
    home.file("work/.legwork/agents/a.md", &agent("a", "skills: [pdf]\n", ""));
    home.file("work/.legwork/agents/b.md", &agent("b", "model: vllm:x\n", ""));
    home.file(
        "work/.legwork/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: x\nmodel: ollama:y\n---\n",
    );
    let ran = home.ran_with(&server, &["run", "--agent", "a", "Go"]);
    let all = format!("{}{}", ran.out, ran.err);
    assert!(all.contains("do not name `ollama`"), "{all}");
    fs::remove_dir_all(home.work().join(".legwork/skills")).unwrap();
    home.file("work/.legwork/agents/a.md", &agent("a", "", ""));
    home.ran_with(&server, &["run", "--agent", "a", "Go"]).ends(0).says("do not name `vllm`");
}
#[test]
fn s13_8_a_file_of_the_project_that_is_named_itself_only_narrows() {
    let (home, server) = (Home::untrusted(), server());
    home.settings("budget.steps = 5\n");
    home.file("work/x.md", &agent("x", "budget: {steps: 50}\n", "Say X."));
    let shown = home.ran(&["agents", "show", "x.md", "--json"]).ends(0).last();
    assert_eq!(shown["budget"]["steps"], 5);
    home.ran_with(&server, &["run", "--agent", "x.md", "Go"]).ends(0);
    assert!(told(&server).contains("Say X."), "who names a file has read it");
    // Outside of the project it is the person's.
    home.file("mine/x.md", &agent("x", "budget: {steps: 50}\n", ""));
    let shown = home.ran(&["agents", "show", "../mine/x.md", "--json"]).ends(0).last();
    assert_eq!(shown["budget"]["steps"], 50);
}
