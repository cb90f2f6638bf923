//! `legwork agents`: what there is, what it says, what is wrong.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::home::Home;

impl Home {
    /// Writes a file below the home, in folders that are made.
    pub(crate) fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.work().parent().unwrap().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

/// An agent with further front matter.
pub(crate) fn agent(name: &str, front: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}\n{front}---\n\n{body}\n")
}

#[test]
fn agents_of_user_project_and_flag_are_listed_and_the_users_own_wins() {
    let home = Home::new();
    home.file(".config/legwork/agents/reviewer.md", &agent("reviewer", "", "Mine."));
    home.file(".config/legwork/agents/clerk.yaml", "name: clerk\ndescription: Files things\n");
    home.file("work/.legwork/agents/reviewer.md", &agent("reviewer", "", "Theirs."));
    home.file("more/x.json", r#"{"name": "extra", "description": "More \u001b[2J\nof it"}"#);
    let ran = home.ran(&["agents", "list", "--agents-dir", "../more"]).ends(0);
    assert_eq!(
        ran.out,
        "clerk     user   Files things\n\
         extra     given  More \\u{1b}[2J of it\n\
         reviewer  user   Does reviewer\n"
    );
    assert_eq!(ran.err, "");
    let lines = home.ran(&["agents", "list", "--json"]).ends(0).events();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["origin"], "user");
    assert_eq!(lines[1]["overrides"][0]["origin"], "project");
    assert_eq!(lines[1]["problems"], 0);
}

#[test]
fn where_there_are_none_it_says_how_to_make_one() {
    let home = Home::new();
    let ran = home.ran(&["agents", "list"]).ends(0);
    assert!(ran.out.contains(".legwork/agents/NAME.md"), "{}", ran.out);
    assert_eq!(home.ran(&["agents", "list", "--json"]).ends(0).out, "");
    home.ran(&["agents", "show", "x"]).ends(2).says("there is no agent \"x\"");
    assert_eq!(
        home.ran(&["agents", "check"]).ends(0).out,
        "0 agents, 0 skills: nothing is wrong\n"
    );
}

#[test]
fn what_is_wrong_is_told_with_line_field_and_mend() {
    let home = Home::new();
    let front = "model: nobody:x\ntools: [read, bsh]\nskills: [pdg]\n";
    home.file("work/.legwork/agents/a.md", &agent("a", front, ""));
    home.file("work/.legwork/agents/b.md", "---\nname: b\ndescripton: x\n---\n");
    home.file(
        "work/.legwork/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: x\nallowed-tools: Read(*.pdf)\nextra: 1\n---\n",
    );
    let ran = home.ran(&["agents", "check"]).ends(1);
    let told = |line: &str| assert!(ran.out.contains(line), "no {line:?} in {}", ran.out);
    told("~/work/.legwork/agents/b.md:3: error: descripton: ");
    told(
        "~/work/.legwork/agents/a.md:5: error: tools[1]: there is no tool `bsh`\n  did you mean `bash`?\n",
    );
    told(
        "~/work/.legwork/agents/a.md:6: error: skills[0]: there is no skill `pdg`\n  did you mean `pdf`?\n",
    );
    told("~/work/.legwork/agents/a.md:4: error: model: `nobody:x` cannot be used: ");
    told(
        "~/work/.legwork/skills/pdf/SKILL.md:4: error: allowed-tools[0]: `Read(*.pdf)` cannot be enforced",
    );
    told("~/work/.legwork/skills/pdf/SKILL.md:5: warning: extra: ");
    assert!(ran.out.ends_with("1 agent, 1 skill: 6 errors, 1 warning\n"), "{}", ran.out);
    let lines = home.ran(&["agents", "check", "--json"]).ends(1).events();
    assert_eq!(lines.len(), 7);
    assert!(lines.iter().all(|line| line["mend"].is_string() && line["severity"].is_string()));
    home.ran(&["agents", "list"]).ends(0).says("7 problems: `legwork agents check` says which");
    home.ran(&["agents", "show", "b"]).ends(2).says("cannot be used").says("description");
    home.ran(&["agents", "show", "c"])
        .ends(2)
        .says("there is no agent \"c\"")
        .says("the agents are a");
}

#[test]
fn only_the_named_files_are_checked() {
    let home = Home::new();
    home.file("work/.legwork/agents/bad.md", "---\n");
    home.file(
        "work/.legwork/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: x\nextra: 1\n---\n",
    );
    home.file("work/good.md", &agent("good", "skills: [pdf]\n", ""));
    let ran = home.ran(&["agents", "check", "good.md"]).ends(0);
    assert_eq!(ran.out, "1 agent, 0 skills: nothing is wrong\n");
    let ran = home.ran(&["agents", "check", ".legwork/skills/pdf"]).ends(0);
    assert!(ran.out.ends_with("0 agents, 1 skill: 0 errors, 1 warning\n"), "{}", ran.out);
    let ran = home.ran(&["agents", "check", ".legwork/agents"]).ends(1);
    assert!(ran.out.ends_with("0 agents, 0 skills: 1 error, 0 warnings\n"), "{}", ran.out);
    let ran = home.ran(&["agents", "check", "none.md"]).ends(1);
    assert!(ran.out.contains("none.md: error: it cannot be read"), "{}", ran.out);
}

#[test]
fn show_tells_what_an_agent_comes_to() {
    let home = Home::new();
    let front = "model: ollama:small\ntools: [read, bash]\ndenied_tools: [bash]\nbudget: {steps: 500, usd: 0.5}\n";
    home.file("work/.legwork/agents/clerk.md", &agent("clerk", front, "File.\u{1b}[2J\n\nWell."));
    home.settings("budget.steps = 30\n[providers.ollama]\n");
    let ran = home.ran(&["agents", "show", "clerk"]).ends(0);
    assert_eq!(
        ran.out,
        "clerk\n\nDoes clerk\n\n\
         file          ~/work/.legwork/agents/clerk.md (project)\n\
         model         ollama:small (~/work/.legwork/agents/clerk.md)\n\
         tools         read\n\
         denied        bash\n\
         limits        30 steps, $0.50\n\
         \ninstructions\n\nFile.\\u{1b}[2J\n\nWell.\n"
    );
    let told = home.ran(&["agents", "show", "clerk", "--json"]).ends(0).last();
    assert_eq!(told["tools"], json!(["read"]));
    assert_eq!(told["budget"]["steps"], 30);
    assert_eq!(told["model"]["source"], "agent");
    assert_eq!(told["definition"]["budget"]["steps"], 500);
    let markdown = home.ran(&["agents", "show", "clerk", "--markdown"]).ends(0).out;
    assert!(markdown.starts_with("---\nname: clerk\n") && markdown.ends_with("Well.\n"));
    // A file of another folder is named by its path.
    home.file("there/x.yaml", "name: x\ndescription: X\nmodel: ollama:q\n");
    home.ran(&["agents", "show", "../there/x.yaml"]).ends(0);
}

#[test]
fn folders_of_a_project_that_are_links_are_not_looked_into() {
    let home = Home::new();
    home.file("there/agents/evil.md", &agent("evil", "", ""));
    std::os::unix::fs::symlink("../there", home.work().join(".legwork")).unwrap();
    let ran = home.ran(&["agents", "check"]).ends(1);
    assert!(ran.out.contains("~/work/.legwork: error: it is a link"), "{}", ran.out);
    assert!(ran.out.ends_with("0 agents, 0 skills: 1 error, 0 warnings\n"), "{}", ran.out);
}
