//! `legwork completions`, and what a shell then completes.

use std::path::Path;
use std::process::Command;

use legwork_testkit::{Server, Turn};

use crate::home::{Home, Ran, ran, text};

#[test]
fn each_shell_gets_its_script() {
    let home = Home::new();
    for (shell, words) in [
        ("bash", "-F _clap_complete_legwork legwork"),
        ("zsh", "#compdef legwork"),
        ("fish", "complete --keep-order --exclusive --command legwork"),
        ("elvish", "edit:completion:arg-completer[legwork]"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let told = home.ran(&["completions", shell]).ends(0);
        assert!(told.out.contains(words) && told.err.is_empty(), "{shell}: {}", told.out);
    }
    home.ran(&["completions", "csh"]).ends(2).says("possible values: bash");
}

/// What bash completes where the last word ends, a word a line.
fn completed(home: &Home, words: &[&str]) -> Vec<String> {
    let script = home.ran(&["completions", "bash"]).ends(0).out;
    let ask = r#"
        COMP_WORDS=(legwork "$@") COMP_CWORD=$# COMP_TYPE=9
        _clap_complete_legwork legwork "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &format!("{script}{ask}"), "bash"]).args(words);
    let legwork = Path::new(env!("CARGO_BIN_EXE_legwork")).parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", legwork.display());
    let environment = home.legwork(&[]);
    bash.env_clear().current_dir(home.work());
    bash.envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bash.env("PATH", path);
    let Ran { out, err, .. } = ran(bash).ends(0);
    assert_eq!(err, "");
    // Flags are offered beside the values of an argument.
    let is_flag = words.last().is_some_and(|word| word.starts_with('-'));
    let offered = out.lines().map(str::trim_end).filter(|word| !word.is_empty());
    offered.filter(|word| is_flag || !word.starts_with('-')).map(str::to_owned).collect()
}

#[test]
fn bash_completes_verbs_flags_and_values() {
    let home = Home::new();
    assert_eq!(completed(&home, &["sess"]), ["sessions"]);
    assert_eq!(completed(&home, &["resume", "--on-d"]), ["--on-doubt"]);
    assert_eq!(completed(&home, &["resume", "--on-doubt", ""]), ["ask", "tell"]);
    assert_eq!(completed(&home, &["resume", ""]), <[&str; 0]>::default());
}

#[test]
fn bash_completes_the_ids_of_sessions() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    for task in ["first", "second"] {
        home.ran_with(&server, &["run", task]).ends(0);
    }
    let rows = home.ran(&["sessions", "list", "--json"]).ends(0).events();
    let whole: Vec<_> = rows.iter().map(|row| text(row, "session")).collect();
    let short: Vec<_> = whole.iter().map(|id| id[id.len() - 8..].to_owned()).collect();
    assert_eq!(completed(&home, &["resume", ""]), short);
    assert_eq!(completed(&home, &["undo", &short[1][..6]]), short[1..]);
    for verb in ["show", "diff", "rm"] {
        assert_eq!(completed(&home, &["sessions", verb, &short[1][..6]]), short[1..], "{verb}");
    }
    assert_eq!(completed(&home, &["run", "--session", &short[0][..6]]), short[..1]);
    assert_eq!(completed(&home, &["resume", &whole[1][..whole[1].len() - 2]]), whole[1..]);
    let elsewhere = ["resume", "--store", "sqlite:elsewhere.db", ""];
    assert_eq!(completed(&home, &elsewhere), <[&str; 0]>::default());
}

#[test]
fn bash_completes_agents_models_tools_and_files() {
    let home = Home::new();
    let front = "---\nname: reviewer\ndescription: Reviews\n---\n";
    home.file(".config/legwork/agents/reviewer.md", front);
    home.file("work/.legwork/agents/clerk.md", &front.replace("reviewer", "clerk"));
    assert_eq!(completed(&home, &["run", "--agent", ""]), ["clerk", "reviewer"]);
    home.ran(&["trust", "rm"]).ends(0);
    assert_eq!(completed(&home, &["chat", "--agent", ""]), ["reviewer"]);
    home.settings("[models.\"my:big\"]\ncontext_window = 1000\n");
    // Bash takes a colon for the end of a word.
    assert!(completed(&home, &["run", "--model", "my"]).iter().any(|word| word.ends_with("big")));
    assert_eq!(completed(&home, &["run", "--tools", "ba"]), ["bash", "bash_output"]);
    assert_eq!(completed(&home, &["run", "--tools", "read,se"]), ["read,search"]);
    std::fs::write(home.work().join("shot.png"), "").unwrap();
    assert_eq!(completed(&home, &["run", "--image", "sh"]), ["shot.png"]);
}

#[test]
fn bash_completes_the_projects_that_are_remembered() {
    let home = Home::untrusted();
    assert_eq!(completed(&home, &["tru"]), ["trust"]);
    assert_eq!(completed(&home, &["trust", "rm", "/"]), <[&str; 0]>::default());
    home.ran(&["trust", "add"]).ends(0);
    let path = home.work().canonicalize().unwrap().to_str().unwrap().to_owned();
    assert_eq!(completed(&home, &["trust", "rm", &path[..path.len() - 2]]), [path]);
}

#[test]
fn a_shell_that_is_not_known_is_told() {
    let home = Home::new();
    let mut command = home.legwork(&["--", "legwork", ""]);
    command.env("LEGWORK_COMPLETE", "csh");
    ran(command).ends(2).says("unknown shell `csh`").says("unset LEGWORK_COMPLETE");
}
