//! `legwork.toml`: which layer holds, and what is said of one that is wrong.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, Ran, ran, text};

impl Home {
    /// Writes the user's file.
    pub(crate) fn settings(&self, text: &str) {
        let path = self.work().join("../.config/legwork");
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("legwork.toml"), text).unwrap();
    }

    /// Writes the project's file.
    pub(crate) fn project(&self, text: &str) {
        fs::write(self.work().join("legwork.toml"), text).unwrap();
    }
}

/// What `config show` says of a key, and of the layer that it came from.
fn shown(home: &Home, key: &str, environment: &[(&str, &str)], flags: &[&str]) -> (Value, Value) {
    let mut command = home.legwork(&["config", "show", "--json"]);
    let ran = ran({
        command.args(flags).envs(environment.iter().copied());
        command
    });
    let all = ran.ends(0).last();
    let entry = match key.split_once('.') {
        Some((table, key)) => &all[table][key],
        None => &all["values"][key],
    };
    (entry["value"].clone(), entry["source"].clone())
}

/// One key through its layers, each put on top of those before.
struct Case {
    key: &'static str,
    default: Value,
    user: (&'static str, Value),
    project: Option<(&'static str, Value)>,
    environment: Option<(&'static str, &'static str, Value)>,
    flag: Option<(&'static str, &'static str, Value)>,
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            key: "model",
            default: json!("openai:gpt-5-mini"),
            user: ("model = 'a:user'", json!("a:user")),
            project: Some(("model = 'a:project'", json!("a:project"))),
            environment: Some(("LEGWORK_MODEL", "a:env", json!("a:env"))),
            flag: Some(("--model", "a:flag", json!("a:flag"))),
        },
        Case {
            key: "base_url",
            default: json!(null),
            user: ("base_url = 'http://user/v1'", json!("http://user/v1")),
            project: None,
            environment: Some(("OPENAI_BASE_URL", "http://env/v1", json!("http://env/v1"))),
            flag: Some(("--base-url", "http://flag/v1", json!("http://flag/v1"))),
        },
        Case {
            key: "sandbox",
            default: json!("auto"),
            user: ("sandbox = 'off'", json!("off")),
            project: None,
            environment: Some(("LEGWORK_SANDBOX", "bubblewrap", json!("bubblewrap"))),
            flag: Some(("--sandbox", "off", json!("off"))),
        },
        Case {
            key: "network",
            default: json!("off"),
            user: ("network = ['*.example.com:8443']", json!(["*.example.com:8443"])),
            project: None,
            environment: Some((
                "LEGWORK_NETWORK",
                "a.org,127.0.0.1",
                json!(["a.org", "127.0.0.1"]),
            )),
            flag: Some(("--network", "all", json!("all"))),
        },
        Case {
            key: "budget.steps",
            default: json!(100),
            user: ("budget.steps = 200", json!(200)),
            project: Some(("budget.steps = 20", json!(20))),
            environment: Some(("LEGWORK_MAX_STEPS", "300", json!(300))),
            flag: Some(("--max-steps", "400", json!(400))),
        },
        Case {
            key: "budget.usd",
            default: json!(null),
            user: ("budget.usd = 2.5", json!(2.5)),
            project: Some(("budget.usd = 1", json!(1.0))),
            environment: Some(("LEGWORK_MAX_USD", "0.25", json!(0.25))),
            flag: Some(("--max-usd", "0.000001", json!(0.000001))),
        },
        Case {
            key: "budget.tokens",
            default: json!(null),
            user: ("budget.tokens = 1_000", json!(1000)),
            project: Some(("budget.tokens = 0x10", json!(16))),
            environment: Some(("LEGWORK_MAX_TOKENS", "5", json!(5))),
            flag: Some(("--max-tokens", "6", json!(6))),
        },
        Case {
            key: "budget.time",
            default: json!(null),
            user: ("budget.time = '30m'", json!("30m")),
            project: Some(("budget.time = '600s'", json!("10m"))),
            environment: Some(("LEGWORK_MAX_TIME", "1h 5s", json!("1h 5s"))),
            flag: Some(("--max-time", "1500ms", json!("1s 500ms"))),
        },
        Case {
            key: "budget.tool_calls",
            default: json!(null),
            user: ("[budget]\ntool_calls = 30", json!(30)),
            project: Some(("[budget]\ntool_calls = 20", json!(20))),
            environment: Some(("LEGWORK_MAX_TOOL_CALLS", "5", json!(5))),
            flag: Some(("--max-tool-calls", "6", json!(6))),
        },
        Case {
            key: "budget.input_tokens",
            default: json!(null),
            user: ("budget = {input_tokens = 30}", json!(30)),
            project: Some(("budget.input_tokens = 20", json!(20))),
            environment: Some(("LEGWORK_MAX_INPUT_TOKENS", "5", json!(5))),
            flag: Some(("--max-input-tokens", "6", json!(6))),
        },
        Case {
            key: "budget.output_tokens",
            default: json!(null),
            user: ("budget.output_tokens = 30", json!(30)),
            project: Some(("budget.output_tokens = 20", json!(20))),
            environment: Some(("LEGWORK_MAX_OUTPUT_TOKENS", "5", json!(5))),
            flag: Some(("--max-output-tokens", "6", json!(6))),
        },
        Case {
            key: "max_write",
            default: json!("2GiB"),
            user: ("max_write = '500MB'", json!("500MB")),
            project: None,
            environment: Some(("LEGWORK_MAX_WRITE", "1GiB", json!("1GiB"))),
            flag: Some(("--max-write", "10 gb", json!("10GB"))),
        },
        Case {
            key: "retry_for",
            default: json!("10m"),
            user: ("retry_for = '1h 30m'", json!("1h 30m")),
            project: None,
            environment: Some(("LEGWORK_RETRY_FOR", "90s", json!("1m 30s"))),
            flag: Some(("--retry-for", "0s", json!("0s"))),
        },
        Case {
            key: "retry_max_wait",
            default: json!("30s"),
            user: ("retry_max_wait = '1m'", json!("1m")),
            project: None,
            environment: Some(("LEGWORK_RETRY_MAX_WAIT", "5ms", json!("5ms"))),
            flag: None,
        },
        Case {
            key: "color",
            default: json!("auto"),
            user: ("color = 'always'", json!("always")),
            project: None,
            environment: Some(("NO_COLOR", "1", json!("never"))),
            flag: None,
        },
    ]
}

#[test]
fn the_highest_layer_that_says_something_holds() {
    for case in cases() {
        let (home, key) = (Home::new(), case.key);
        let check = |environment: &[(&str, &str)], flags: &[&str], value: Value, layer: &str| {
            assert_eq!(shown(&home, key, environment, flags), (value, json!(layer)), "{key}");
        };
        check(&[], &[], case.default, "default");
        home.settings(case.user.0);
        check(&[], &[], case.user.1, "user_file");
        if let Some((text, value)) = case.project {
            home.project(text);
            check(&[], &[], value, "project_file");
        }
        let mut environment = Vec::new();
        if let Some((name, text, value)) = case.environment {
            environment.push((name, text));
            check(&environment, &[], value, "environment");
        }
        if let Some((name, text, value)) = case.flag {
            check(&environment, &[name, text], value, "flag");
        }
    }
}

#[test]
fn a_place_of_sessions_comes_from_file_environment_and_flag() {
    let home = Home::new();
    home.settings("store = 'sqlite:~/mine.db'");
    let mine = home.work().parent().unwrap().join("mine.db");
    let value = json!(format!("sqlite:{}", mine.display()));
    assert_eq!(shown(&home, "store", &[], &[]), (value, json!("user_file")));
    let listed = home.ran(&["sessions", "list"]).ends(0);
    assert!(listed.out.contains("mine.db"), "{}", listed.out);
    let environment = [("LEGWORK_STORE", "memory:")];
    assert_eq!(shown(&home, "store", &environment, &[]).1, "environment");
    assert_eq!(shown(&home, "store", &environment, &["--store", "sqlite:x"]).1, "flag");
}

#[test]
fn paths_of_flags_come_to_those_of_the_file() {
    let home = Home::new();
    home.settings("allow_paths = ['~/notes', 'data:ro']");
    let flags = ["--allow-path", "../notes:ro", "--allow-path", "/srv"];
    let mut command = home.legwork(&["config", "show", "--json"]);
    command.args(flags);
    let all = ran(command).ends(0).last();
    let paths = all["values"]["allow_paths"].as_array().unwrap();
    let told: Vec<_> = paths.iter().map(|path| (&path["value"], &path["source"])).collect();
    let at = |path: &str| json!(home.work().parent().unwrap().join(path).to_string_lossy());
    let (config, notes) = (at(".config/legwork/data:ro"), json!(home.work().join("../notes:ro")));
    let (notes, flag, file) = (&notes, &json!("flag"), &json!("user_file"));
    let first = at("notes");
    assert_eq!(
        told,
        [(&first, file), (&config, file), (notes, flag), (&json!("/srv"), flag)],
        "{all}"
    );
}

#[test]
fn a_session_remembers_the_paths_that_were_allowed() {
    let home = Home::new();
    home.settings("allow_paths = ['~/notes']");
    let turns = [Turn::text("One."), Turn::text("Two."), Turn::text("Three.")];
    let server = Server::start(turns).unwrap();
    std::fs::create_dir(home.work().join("../notes")).unwrap();
    let args = ["run", "--json", "--allow-path", "/srv:ro", "Work"];
    let id = home.ran_with(&server, &args).ends(0).session();
    let remembered = || {
        let entries = home.ran(&["sessions", "show", "--json", &id]).ends(0).events();
        let paths = |entry: &Value| entry.pointer("/body/value/allow_paths").cloned();
        entries.iter().filter_map(paths).collect::<Vec<_>>()
    };
    let notes = home.work().parent().unwrap().join("notes").display().to_string();
    assert_eq!(remembered(), [json!([notes, "/srv:ro"])]);
    home.settings("allow_paths = ['/else', '~/notes']");
    let told = home.ran_with(&server, &["run", "--session", &id, "more"]).ends(0);
    told.says("the session had --allow-path /srv:ro, which is not taken from a journal");
    assert_eq!(remembered()[1], json!([notes]));
    home.ran_with(&server, &["run", "--session", &id, "--allow-path", "/srv", "more"]).ends(0);
    assert_eq!(remembered()[2], json!([notes, "/srv"]));
}

#[test]
fn what_is_shown_names_the_line_and_fits_a_narrow_terminal() {
    let home = Home::new();
    home.settings("\n\nmodel = 'ollama:qwen3'\n");
    let told = home.ran(&["config", "show"]).ends(0);
    let line = told.out.lines().next().unwrap();
    assert!(line.starts_with("model = \"ollama:qwen3\" "), "{line}");
    assert!(line.ends_with("# ~/.config/legwork/legwork.toml:3"), "{line}");
    assert!(told.out.contains("# budget.tokens is not set\n"), "{}", told.out);
}

#[test]
fn colors_are_as_one_prefers() {
    let home = Home::new();
    let told = |color: &str| {
        home.settings(&format!("color = '{color}'"));
        home.ran(&["resume", "nosuch"]).ends(2).err.contains('\x1b')
    };
    assert_eq!([told("always"), told("auto"), told("never")], [true, false, false]);
}

#[test]
fn the_way_on_names_the_file_that_was_named() {
    let home = Home::new();
    fs::write(home.work().join("my file.toml"), "store = 'sqlite:here.db'").unwrap();
    let server = Server::start([Turn::status(400)]).unwrap();
    let args = ["run", "--json", "--config", "my file.toml", "Work"];
    let next = text(&home.ran_with(&server, &args).ends(1).last()["next"], "how");
    assert!(next.contains(" --config '") && next.contains("my file.toml'"), "{next}");
    assert!(home.work().join("here.db").exists());
}

#[test]
fn a_key_that_is_missing_is_shown_as_missing() {
    let home = Home::new();
    let shown = home.ran(&["config", "show"]).ends(0).out;
    assert!(shown.contains("# key of openai is not set"), "{shown}");
    home.settings("[keys.openai]\nenv = 'MINE'");
    let shown = home.ran(&["config", "show"]).ends(0).out;
    assert!(shown.contains("# key of openai: not set: the variable MINE"), "{shown}");
}

/// What is said of a user's file that is wrong.
fn refused(text: &str) -> Ran {
    let home = Home::new();
    home.settings(text);
    for args in [&["run", "x"][..], &["sessions", "list"], &["config", "show"]] {
        let told = home.ran(args).ends(2).says("hint: ");
        assert_eq!(told.out, "");
    }
    let told = home.ran(&["run", "--json", "x"]).ends(2);
    assert_eq!(told.kinds(), ["run_failed"]);
    assert!(!home.store().exists());
    told
}

#[test]
fn unknown_keys_are_told_with_the_nearest_one_and_their_place() {
    let check = |text: &str, place: &str, said: &str| {
        refused(text).says(&format!("~/.config/legwork/legwork.toml:{place}: ")).says(said);
    };
    check("max_step = 3", "1:1", "`max_step` is not known; did you mean `budget.steps`?");
    check("[budget]\nstep = 3", "2:1", "`budget.step` is not known; did you mean `budget.steps`?");
    check("budget = 3", "1:10", "`budget` must be a table such as [budget]");
    check("\n  modell = 'a:b'", "2:3", "did you mean `model`?");
    check("xyzzy = 1", "1:1", "`legwork config show` lists what there is");
    check(
        "[keys.openai]\nfiel = 'x'",
        "2:1",
        "`keys.openai.fiel` is not known; did you mean `file`?",
    );
    check("[providers.my]\nurl = 'x'", "2:1", "did you mean `base_url`?");
    check("'a\\u001b[2J' = 1", "1:1", "`a");
}

#[test]
fn values_of_a_wrong_type_are_told_with_what_they_must_be() {
    let check = |text: &str, said: &str| {
        refused(text).says("/legwork.toml:").says(said);
    };
    check("budget.steps = 'many'", "`budget.steps` must be a whole number from 1 on, not text");
    check("budget.steps = 0", "not this number");
    check("budget.steps = -1", "not this number");
    check("budget.steps = 1.5", "not a number with a fraction");
    check("budget.usd = nan", "`budget.usd` must be an amount above 0");
    check("budget.usd = 0.0", "must be an amount");
    check("budget.usd = -2", "must be an amount");
    check("model = 3", "`model` must be text such as \"openai:gpt-5-mini\", not this number");
    check("model = 'gpt-5'", "`model` must be text such as");
    check("model = ''", "`model` is empty");
    check("sandbox = 'none'", "`sandbox` cannot be \"none\": it is one of ");
    check("color = true", "`color` must be one of its names");
    let network =
        "`network` must be \"off\", \"all\", or a list of hosts such as [\"api.example.com\"]";
    check("network = 'yes'", network);
    check("network = true", &format!("{network}, not a truth value"));
    check("network = []", "`network` is empty; for no network write \"off\"");
    check("network = ['a.org', 'b']", "\"b\" is not a host: it has no dot");
    check("allow_paths = '/x'", "`allow_paths` must be a list of paths");
    check("allow_paths = ['/x', 1]", "`allow_paths` must be a list of paths");
    check("allow_paths = ['~you/x']", "homes of others");
    check("store = 'work.db'", "`store` must be text such as");
    check("keys = 1", "`keys` must be a table");
    check("[keys.openai]", "exactly one of `env`, `file` and `command`");
    check("[keys.openai]\nenv = 'A'\nfile = 'B'", "exactly one of");
    check("[keys.openai]\ncommand = []", "`keys.openai.command` is empty");
    check("[keys.openai]\ncommand = [1]", "`keys.openai.command` must be text");
    check("[keys.'a:b']\nenv = 'A'", "is no provider");
    check("model = 'a:b'\nmodel = 'a:c'", "this is no TOML: duplicate key");
    check("model =", "1:8: this is no TOML");
}

#[test]
fn a_variable_that_is_wrong_is_told() {
    let home = Home::new();
    for (name, value, said) in [
        ("LEGWORK_MAX_STEPS", "none", "must be a whole number"),
        ("LEGWORK_MAX_USD", "-1", "must be an amount"),
        ("LEGWORK_SANDBOX", "none", "it is one of"),
        ("LEGWORK_NETWORK", "yes", "must be off, all, or hosts"),
        ("LEGWORK_COLOR", "red", "it is one of auto, always, never"),
    ] {
        let mut command = home.legwork(&["run", "--model", "ollama:q", "x"]);
        command.env(name, value);
        ran(command).ends(2).says(&format!("error: {name} ")).says(said).says("unset it");
    }
}

#[test]
fn the_schema_is_the_one_in_the_docs_and_takes_what_the_command_takes() {
    let home = Home::new();
    let told = home.ran(&["schema", "settings"]).ends(0).out;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/legwork.schema.json");
    let written = fs::read_to_string(docs).unwrap();
    assert_eq!(told, written, "write it anew: legwork schema settings > docs/legwork.schema.json");
    let schema = jsonschema::validator_for(&serde_json::from_str(&written).unwrap()).unwrap();
    let valid = |text: &str| {
        let value: Value = toml::from_str::<toml::Table>(text).map(|table| json!(table)).unwrap();
        schema.is_valid(&value)
    };
    for case in cases() {
        assert!(valid(case.user.0), "{}", case.key);
    }
    assert!(valid("[keys.openai]\ncommand = ['pass', 'show']\n[providers.my]\nbase_url = 'x'"));
    assert!(!valid("max_step = 3"));
    assert!(!valid("[keys.openai]\nenv = 'A'\nfile = 'B'"));
    assert!(!valid("budget.usd = 0"));
}

#[test]
fn the_file_to_begin_with_is_written_once_and_is_right() {
    let home = Home::new();
    home.ran(&["config", "init"]).ends(0);
    home.ran(&["config", "init"]).ends(2).says("is there already");
    let path = home.work().join("../.config/legwork/legwork.toml");
    let text = fs::read_to_string(&path).unwrap();
    home.ran(&["config", "show"]).ends(0);
    // With its examples in force it is right too.
    let is_example = |line: &&str| !line.starts_with([' ', '#']);
    let settings = text.lines().filter_map(|line| line.strip_prefix('#')).filter(is_example);
    let settings: Vec<_> = settings.collect();
    fs::write(&path, settings.join("\n")).unwrap();
    let told = home.ran(&["config", "show", "--json"]).ends(0).last();
    assert_eq!(told["budget"]["time"]["value"], "30m", "{settings:?}");
    assert_eq!(told["keys"]["openai"]["from"], "command");
}

#[test]
fn every_key_is_explained_in_the_docs_and_in_help() {
    let home = Home::new();
    let help = home.ran(&["help", "config"]).ends(0).out;
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let docs = include_str!("../../../../docs/configuration.md");
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/legwork.schema.json")).unwrap();
    for key in schema["properties"].as_object().unwrap().keys() {
        let forms = [format!("`{key}`"), format!("`[{key}."), format!("`[{key}]")];
        assert!(forms.iter().any(|form| docs.contains(form)), "{key}");
        assert!(help.contains(key), "{key}");
    }
    for key in schema["properties"]["budget"]["properties"].as_object().unwrap().keys() {
        let flag = format!("--max-{}", key.replace('_', "-"));
        let variable = format!("LEGWORK_MAX_{}", key.to_uppercase());
        for form in [format!("`{key}`"), format!("`{flag}`"), format!("`{variable}`")] {
            assert!(docs.contains(&form), "{form}");
        }
        assert!(words.contains(&format!("({flag}, {variable})")), "{key}");
    }
}

#[test]
fn s11_9_what_is_known_of_models_is_the_users_to_say_and_a_project_cannot() {
    let home = Home::new();
    let models = "[models.\"test:scripted\"]\ncontext_window = 9000\ncan = [\"tools\"]\n\
                  price = { input = 2, output = 10.00, cache_read = 0.5 }\n";
    home.file(".config/legwork/legwork.toml", models);
    let server = Server::start([Turn::text("4")]).unwrap();
    // A limit on cost can be kept, and what it cost is told.
    let ran = home.ran_with(&server, &["run", "--json", "--max-usd", "1", "2+2?"]).ends(0);
    assert_eq!(ran.last()["used"]["cost"], 70);
    let shown = home.ran(&["config", "show"]).ends(0);
    let price = "{ cache_read = 0.5, cache_write = 2.0, input = 2.0, output = 10.0 }";
    let line = format!(
        "models.\"test:scripted\" = {{ can = [\"tools\"], context_window = 9000, price = {price} }}"
    );
    assert!(shown.out.contains(&line), "{}", shown.out);
    // What is shown can be written into a file again.
    home.file(".config/legwork/legwork.toml", &format!("{line}\n"));
    let again = home.ran(&["config", "show"]).ends(0);
    assert!(again.out.contains(&line), "{}", again.out);
    let shown = home.ran(&["config", "show", "--json"]).ends(0).last();
    let known = &shown["models"]["test:scripted"];
    assert_eq!(
        (&known["price"]["cache_read"], &known["line"]),
        (&json!(0.5), &json!(1)),
        "{shown}"
    );
    for (wrong, told) in [
        ("price = { input = 1 }", "`models.\"a:b\".price` must have `output`"),
        ("price = { input = -1, output = 1 }", "must be an amount of US dollars"),
        ("price = { input = 1, output = 1, imput = 1 }", "did you mean `input`?"),
        ("price = 3", "must be a table such as { input = 0.40, output = 1.60 }"),
        (
            "price = { input = 1, output = 1, above = [{ input = 2, output = 2 }] }",
            "must have `input_tokens`",
        ),
        ("price = { input = 1, output = 1, above = 3 }", "must be a list of such tables"),
        ("context_window = 0", "`models.\"a:b\".context_window` must be a whole number from 1 on"),
        ("can = [\"tool\"]", "names no ability: \"tool\"; did you mean `tools`?"),
        ("can = \"tools\"", "must be a list of abilities"),
        ("can = [\"tools\"]\ncannot = [\"tools\"]", "says that it has `tools`, and that not"),
        ("windows = 3", "the key `models.\"a:b\".windows` is not known"),
    ] {
        home.file(".config/legwork/legwork.toml", &format!("[models.\"a:b\"]\n{wrong}\n"));
        home.ran(&["config", "show"]).ends(2).says(told);
    }
    home.file(".config/legwork/legwork.toml", "[models.scripted]\ncontext_window = 1\n");
    home.ran(&["config", "show"]).ends(2).says("is no model: name it as");
    home.file(".config/legwork/legwork.toml", "");
    home.file("work/legwork.toml", models);
    home.ran(&["config", "show"]).ends(2).says("cannot be set in a project's file");
}
