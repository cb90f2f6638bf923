//! The tools of MCP servers: a program of the user, or of a project that is trusted.

use std::fs;

use legwork_testkit::{Script, Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, Ran, ran};
use crate::sandbox::works;

/// A server of the older revision, in the words of a shell: `env` says which variables it has,
/// `write` writes where it may and where it may not, `dies` ends it.
const SERVER: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
text() { answer "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
echo 'the server is up' >&2
while read -r line; do
  id=$(expr "$line" : '.*"id":\([0-9]*\)')
  case "$line" in
    *'"method":"server/discover"'*) answer '"error":{"code":-32601,"message":"no such method"}' ;;
    *'"method":"initialize"'*)
      answer '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1.2"}}' ;;
    *'"method":"tools/list"'*)
      answer '"result":{"tools":[
        {"name":"env","description":"Says its variables. And more.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
        {"name":"write","description":"Writes.","inputSchema":{"type":"object"}},
        {"name":"dies","description":"Ends.","inputSchema":{"type":"object"}},
        {"name":"wrong","inputSchema":{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/a"}}}}]}' ;;
    *'"method":"tools/call"'*'"name":"env"'*) text "$(env | cut -d= -f1 | sort | tr '\n' ' ')GIVEN=$GIVEN TOKEN=$TOKEN" ;;
    *'"method":"tools/call"'*'"name":"write"'*)
      echo here > made; (echo there > "$OUTSIDE") 2> /dev/null; text "in $PWD" ;;
    *'"method":"tools/call"'*'"name":"dies"'*) echo 'I am done for' >&2; exit 3 ;;
  esac
done
"#;

/// The server in a folder; one line, as a message is.
pub(crate) fn write_server(home: &Home) {
    let lists = SERVER.replace("[\n        ", "[").replace(",\n        ", ",");
    fs::write(home.work().join("server.sh"), lists).unwrap();
}

pub(crate) const CONFIG: &str = ".config/legwork/legwork.toml";

/// A home whose user has the server, and more settings of it.
fn home(more: &str) -> Home {
    let home = Home::new();
    write_server(&home);
    home.file(CONFIG, &format!("[mcp.my]\ncommand = [\"sh\", \"server.sh\"]\n{more}"));
    home
}

fn configured(home: &Home) -> String {
    fs::read_to_string(home.work().parent().unwrap().join(CONFIG)).unwrap()
}

impl Ran {
    /// Checks that it ended well and standard output says this.
    #[track_caller]
    fn prints(self, words: &str) -> Self {
        let ran = self.ends(0);
        assert!(ran.out.contains(words), "no {words:?} in: {}", ran.out);
        ran
    }
}

fn call(name: &str) -> Turn {
    Turn::call(name, json!({}))
}

/// Runs these calls; the results that the model was told, and what the command printed.
fn run(home: &Home, args: &[&str], calls: &[&str]) -> (Vec<String>, Ran) {
    run_with(home, args, calls, &[])
}

/// The same with variables in its environment.
fn run_with(
    home: &Home,
    args: &[&str],
    calls: &[&str],
    variables: &[(&str, &str)],
) -> (Vec<String>, Ran) {
    let turns = calls.iter().map(|name| call(name)).chain([Turn::text("Done.")]);
    let server = Server::start(turns.collect::<Vec<_>>()).unwrap();
    let mut command = home.with(&server, &[&["run"], args, &["Go"]].concat());
    command.envs(variables.iter().copied());
    let ran = ran(command);
    let last = |asked: &legwork_testkit::Asked| asked.results().last().map(ToString::to_string);
    (server.requests().iter().filter_map(|request| last(&request.asked)).collect(), ran)
}

/// The names of the tools that the model is offered.
fn offered(home: &Home, args: &[&str]) -> (Vec<String>, Ran) {
    let server = Server::start(Script::from_fn(|_| Turn::text("Done."))).unwrap();
    let ran = home.ran_with(&server, &[&["run"], args, &["Go"]].concat());
    let asked = server.requests().pop().unwrap().asked;
    (asked.tools.iter().map(ToString::to_string).filter(|name| name.contains('_')).collect(), ran)
}

#[test]
fn s18_13_a_server_of_the_user_runs_in_the_sandbox_with_its_variables_alone() {
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().join("there");
    let env = format!("GIVEN = \"so\", OUTSIDE = {:?}", outside.to_str().unwrap());
    let home = home(&format!("env = {{ {env}, TOKEN = {{ env = \"MY_TOKEN\" }} }}\n"));
    if !works(&home, "bubblewrap") {
        return;
    }
    let variables = [("MY_TOKEN", "tok-12345678"), ("SECRET_KEY", "hidden")];
    let args = ["--sandbox", "bubblewrap"];
    let (results, ran) = run_with(&home, &args, &["my_env", "my_write"], &variables);
    let ran = ran.ends(0);
    let [env, write] = &results[..] else { panic!("{results:?}\n{}", ran.err) };
    assert!(env.contains("GIVEN=so") && !env.contains("SECRET_KEY"), "{env}");
    assert!(!env.contains("tok-12345678"), "a secret that it is given is masked: {env}");
    assert!(env.contains("TOKEN=") && !env.contains("MY_TOKEN"), "{env}");
    assert!(write.contains("in "), "{write}");
    assert_eq!(fs::read_to_string(home.work().join("made")).unwrap(), "here\n");
    assert!(!outside.exists());
}

#[test]
fn s18_9_a_server_that_dies_fails_its_call_and_the_run_goes_on() {
    let (results, ran) = run(&home(""), &["--sandbox", "off"], &["my_dies", "my_write"]);
    ran.ends(0);
    assert!(results[0].contains("it ended during the call"), "{results:?}");
    assert!(results[0].contains("it said last: the server is up\nI am done for"), "{results:?}");
    assert!(results[1].contains("in "), "{results:?}");
}

#[test]
fn s18_13_tools_of_servers_are_chosen_as_others_are() {
    let off = ["--sandbox", "off"];
    let (all, ran) = offered(&home(""), &off);
    for name in ["my_env", "my_write", "my_dies"] {
        assert!(all.iter().any(|tool| tool == name), "{all:?}");
    }
    assert!(!all.iter().any(|tool| tool == "my_wrong"));
    ran.ends(0).says("the server `my`: its tool `wrong` is left out");
    let (some, _) = offered(&home("tools = [\"env\", \"dies\"]\nexcept = [\"dies\"]\n"), &off);
    let my: Vec<_> = some.iter().filter(|tool| tool.starts_with("my_")).collect();
    assert_eq!(my, ["my_env"]);
    let (some, ran) = offered(&home(""), &["--sandbox", "off", "--tools", "my_env,read"]);
    assert_eq!(some, ["my_env"], "{}", ran.err);
}

#[test]
fn s18_13_calls_are_asked_about_by_their_effects_where_the_server_is_trusted() {
    let ask = ["--sandbox", "off", "--approve", "writes"];
    let (results, ran) = run(&home("trusted = true\n"), &ask, &["my_env"]);
    ran.ends(0);
    assert!(results[0].contains("GIVEN="), "{results:?}");
    for (more, name) in [("trusted = true\n", "my_write"), ("", "my_env")] {
        let server = Server::start([call(name), Turn::text("Done.")]).unwrap();
        let ran = home(more).ran_with(&server, &[&["run"], &ask[..], &["Go"]].concat());
        ran.ends(4).says("this runs once you approve it").says(name);
    }
}

/// The server in the file of the project.
fn of_project(home: &Home, table: &str) {
    write_server(home);
    fs::write(home.work().join("legwork.toml"), table).unwrap();
}

#[test]
fn s18_14_a_server_of_a_project_starts_once_the_project_is_trusted() {
    let home = Home::untrusted();
    of_project(&home, "[mcp.my]\ncommand = [\"sh\", \"server.sh\"]\n");
    let off = ["--sandbox", "off"];
    let (tools, ran) = offered(&home, &off);
    assert!(!tools.contains(&"my_env".to_owned()));
    ran.ends(0).says("legwork.toml is left out");
    home.ran(&["trust", "add"]).ends(0);
    let (tools, ran) = offered(&home, &off);
    assert!(tools.contains(&"my_env".to_owned()), "{tools:?}");
    let session = home.ran(&["sessions", "list", "--json"]).session();
    ran.ends(0);
    // The session goes on with it.
    let (tools, _) = offered(&home, &["--sandbox", "off", "--session", &session]);
    assert!(tools.contains(&"my_env".to_owned()), "{tools:?}");
    // What the agent writes starts nothing before the person has seen it.
    let write = Turn::call("bash", json!({"command": "sed -i s/mcp.my/mcp.other/ legwork.toml"}));
    let server = Server::start([write, Turn::text("Done.")]).unwrap();
    home.ran_with(&server, &["run", "--sandbox", "off", "Go"]).ends(0);
    for args in [&off[..], &["--sandbox", "off", "--session", &session]] {
        let (tools, ran) = offered(&home, args);
        assert!(!tools.iter().any(|tool| tool.ends_with("_env")), "{tools:?}");
        ran.ends(0).says("legwork trust add");
    }
}

#[test]
fn s18_14_s18_18_a_project_says_little_of_its_servers() {
    for (line, why) in [
        ("trusted = true", "it could have calls repeated"),
        ("sampling = true", "it could spend what your model costs"),
        ("env = { A = { env = \"HOME\" } }", "it names no secrets of yours"),
        ("headers = { A = \"b\" }", "it could let the agent send away"),
        ("url = \"https://a.example/mcp\"", "it could let the agent send away"),
    ] {
        let home = Home::new();
        of_project(&home, &format!("[mcp.my]\ncommand = [\"true\"]\n{line}\n"));
        let server = Server::start([Turn::text("Done.")]).unwrap();
        home.ran_with(&server, &["run", "Go"]).ends(2).says(why);
    }
    // The user's own comes first.
    let home = home("tools = [\"env\"]\n");
    fs::write(home.work().join("legwork.toml"), "[mcp.my]\ncommand = [\"true\"]\n").unwrap();
    let (tools, ran) = offered(&home, &["--sandbox", "off"]);
    assert!(tools.contains(&"my_env".to_owned()), "{tools:?}");
    ran.ends(0).says("the MCP server my in ~/work/legwork.toml:1 is not used");
    // Nor one whose tools could be taken for those of another: rules name tools.
    for name in ["my_env", "bash", "web"] {
        let table = format!("[mcp.{name}]\ncommand = [\"true\"]\n");
        fs::write(home.work().join("legwork.toml"), table).unwrap();
        let listed = home.ran(&["mcp", "list", "--json"]).ends(0);
        assert_eq!(listed.last()["name"], "my", "{name}");
        listed.says(&format!("the MCP server {name} in ~/work/legwork.toml:1 is not used"));
    }
}

#[test]
fn s18_13_what_is_wrong_with_a_table_is_said_with_its_place() {
    for (table, expected) in [
        ("[mcp.my]\n", "must have exactly one of `command` and `url`"),
        ("[mcp.my]\ncommand = []\n", "is empty"),
        ("[mcp.my]\ncommand = \"sh\"\n", "must be a list such as"),
        ("[mcp.my]\nurl = \"ftp://a\"\n", "neither `https://` nor `http://`"),
        ("[mcp.\"a b\"]\nurl = \"https://a\"\n", "cannot be the name of a server"),
        ("[mcp.my]\ncommand = [\"a\"]\nheaders = { A = \"b\" }\n", "a command has none of"),
        ("[mcp.my]\nurl = \"https://a\"\nenv = { A = \"b\" }\n", "which is for a `command`"),
        ("[mcp.my]\ncommand = [\"a\"]\ntransport = \"sse\"\n", "which is for a `url`"),
        ("[mcp.my]\nurl = \"https://a\"\ntransport = \"ftp\"\n", "must be \"http\" or"),
        ("[mcp.my]\ncommand = [\"a\"]\ntimeout = \"soon\"\n", "must be a length of time"),
        ("[mcp.my]\ncommand = [\"a\"]\ncomand = [\"b\"]\n", "did you mean `command`?"),
    ] {
        let home = Home::new();
        home.file(CONFIG, table);
        home.ran(&["config", "show"]).ends(2).says(expected).says("legwork.toml:");
    }
}

#[test]
fn s18_13_servers_are_added_tried_and_removed_by_the_command() {
    let home = Home::new();
    write_server(&home);
    home.file(CONFIG, "# mine\nsandbox = \"off\"\n\n[budget]\nsteps = 9 # few\n");
    home.ran(&["mcp", "list"]).prints("no MCP server is set");
    let add = ["mcp", "add", "my", "--env", "GIVEN=so", "--trusted", "--timeout", "5m", "--"];
    home.ran(&[&add[..], &["sh", "server.sh"]].concat()).prints("my is added to");
    let text = configured(&home);
    assert!(text.starts_with("# mine\nsandbox = \"off\"\n\n[budget]\nsteps = 9 # few\n"), "{text}");
    home.ran(&[&add[..], &["true"]].concat()).ends(2).says("there is an MCP server my already");
    let listed: Value = home.ran(&["mcp", "list", "--json"]).ends(0).last();
    assert_eq!(listed["command"], json!(["sh", "server.sh"]));
    assert_eq!((&listed["trusted"], &listed["timeout"]), (&json!(true), &json!("5m")));
    let shown = home.ran(&["config", "show"]);
    shown.prints("mcp.my.command = [\"sh\", \"server.sh\"]").prints("mcp.my.trusted = true");
    let shown: Value = home.ran(&["config", "show", "--json"]).ends(0).last();
    assert_eq!(shown["mcp"]["my"]["value"]["env"], json!(["GIVEN"]));
    let tested = home.ran(&["mcp", "test", "my"]);
    tested.prints("my works: shell 1.2, protocol 2025-11-25, 3 tools");
    let tested: Value = home.ran(&["mcp", "test", "my", "--json"]).ends(0).last();
    assert_eq!(tested["tools"][0]["name"], "my_env");
    assert_eq!(tested["problems"].as_array().unwrap().len(), 1);
    // Nothing is written that could not be read again.
    home.ran(&["mcp", "add", "q", "--", ""]).ends(2).says("is empty");
    home.ran(&["mcp", "test", "mu"]).ends(2).says("the servers are my");
    home.ran(&["mcp", "rm", "my"]).prints("my is removed from");
    assert_eq!(configured(&home), "# mine\nsandbox = \"off\"\n\n[budget]\nsteps = 9 # few\n");
    // A secret is never written.
    let url = "https://127.0.0.1:1/mcp";
    let secret = ["mcp", "add", "docs", url, "--header", "Authorization=sk-12345678"];
    let refused = home.ran(&secret).ends(2).says("names no variable that holds its value");
    assert!(!refused.err.contains("sk-12345678") && !configured(&home).contains("sk-12345678"));
    home.ran(&["mcp", "add", "docs", url, "--header", "Authorization=DOCS"]).ends(0);
    home.ran(&["mcp", "test", "docs"]).ends(2).says("the variable is not set");
    let mut tested = home.legwork(&["mcp", "test", "docs"]);
    tested.env("DOCS", "sk-12345678");
    let failed = ran(tested).ends(1);
    let failed = failed.says("the server cannot be reached: Connection refused");
    assert!(!failed.err.contains("sk-12345678"));
    home.ran(&["mcp", "add", "old", "http://127.0.0.1:1/sse", "--sse"]).ends(0);
    assert!(configured(&home).contains("transport = \"sse\"\n"), "{}", configured(&home));
    home.ran(&["mcp", "add", "asks", "--sampling", "--", "true"]).ends(0);
    assert!(configured(&home).contains("sampling = true\n"), "{}", configured(&home));
    home.ran(&["mcp", "test", "old"]).ends(1).says("`http://127.0.0.1:1/sse`: the server cannot");
    home.ran(&["mcp", "add", "p", "--sse", "--", "true"]).ends(2).says("cannot be used with");
}

#[test]
fn s18_13_a_server_that_does_not_start_costs_its_tools_alone() {
    let home = Home::new();
    home.file(
        CONFIG,
        "sandbox = \"off\"\n[mcp.no]\ncommand = [\"no-such-program\"]\n\
         [mcp.un]\nurl = \"http://127.0.0.1:1/mcp\"\nheaders = { A = { env = \"NONE\" } }\n",
    );
    let (tools, ran) = offered(&home, &[]);
    assert!(!tools.iter().any(|tool| tool.starts_with("no_") || tool.starts_with("un_")));
    ran.ends(0)
        .says("there is no such program")
        .says("the MCP server un is left out: the key of `mcp.un.headers.A` in NONE");
    let missing = home.ran(&["mcp", "test", "no"]).ends(1);
    missing.says("the MCP server no does not work: ").says("no-such-program");
}

#[test]
fn s18_12_only_a_server_elsewhere_is_logged_in_to() {
    let home = home("");
    home.ran(&["mcp", "login", "my"]).ends(2).says("asks for no login");
    home.ran(&["mcp", "login", "no"]).ends(2).says("there is no MCP server \"no\"");
    let home = Home::new();
    home.file(CONFIG, "[mcp.docs]\nurl = \"http://127.0.0.1:1/mcp\"\nclient_id = \"me\"\n");
    let failed = home.ran(&["mcp", "login", "docs"]).ends(1);
    failed.says("there is no login to docs").says("Connection refused");
    home.ran(&["mcp", "logout", "docs"]).prints("what was granted for docs is forgotten");
    for (table, expected) in [
        ("command = [\"a\"]\nclient_id = \"b\"\n", "which are for a `url`"),
        ("url = \"https://a\"\nclient_secret = \"b\"\n", "without `client_id`"),
    ] {
        home.file(CONFIG, &format!("[mcp.docs]\n{table}"));
        home.ran(&["config", "show"]).ends(2).says(expected);
    }
}

#[test]
fn s18_13_rules_about_the_tools_of_servers_hold() {
    for (rule, expected) in [
        ("deny = [\"my_write\"]", "the rule `my_write` denies this call"),
        ("allow = [\"my_write\"]", "in "),
    ] {
        let home = home(&format!("[permissions]\n{rule}\n"));
        let args = ["--sandbox", "off", "--approve", "writes"];
        let (results, ran) = run(&home, &args, &["my_write"]);
        ran.ends(0);
        assert!(results[0].contains(expected), "{rule}: {results:?}");
    }
    let home = home("[permissions]\ndeny = [\"bash_outptu\"]\n");
    home.ran(&["config", "show"]).ends(2).says("did you mean `bash_output`?");
}

#[test]
fn s18_13_what_a_server_is_given_is_masked_where_it_is_tried() {
    let more = "env = { TOKEN = { env = \"MY_TOKEN\" } }\n";
    let home = Home::new();
    let script = "echo \"boom $TOKEN\" >&2; exit 3";
    let table = format!("sandbox = \"off\"\n[mcp.my]\ncommand = [\"sh\", \"-c\", {script:?}]\n");
    home.file(CONFIG, &format!("{table}{more}"));
    let mut tested = home.legwork(&["mcp", "test", "my"]);
    tested.env("MY_TOKEN", "tok-12345678");
    let failed = ran(tested).ends(1).says("boom [redacted]");
    assert!(!failed.err.contains("tok-12345678"), "{}", failed.err);
}

#[test]
fn s18_13_a_server_is_confined_also_by_what_it_is_given() {
    let home = home("env = { LD_PRELOAD = \"./evil.so\" }\n");
    let (tools, ran) = offered(&home, &["--sandbox", "off"]);
    assert!(!tools.contains(&"my_env".to_owned()), "{tools:?}");
    ran.ends(0).says("the variable LD_PRELOAD would take effect outside of the sandbox");
}

#[test]
fn s18_2_a_server_with_the_name_of_a_tool_keeps_no_run_from_its_own() {
    let home = Home::new();
    fs::write(home.work().join("server.sh"), SERVER.replace("\"env\"", "\"output\"")).unwrap();
    let lists = fs::read_to_string(home.work().join("server.sh")).unwrap();
    let lists = lists.replace("[\n        ", "[").replace(",\n        ", ",");
    fs::write(home.work().join("server.sh"), lists).unwrap();
    home.file(CONFIG, "[mcp.bash]\ncommand = [\"sh\", \"server.sh\"]\n");
    let (tools, ran) = offered(&home, &["--sandbox", "off"]);
    assert_eq!(tools.iter().filter(|name| *name == "bash_output").count(), 1, "{tools:?}");
    assert!(tools.contains(&"bash_write".to_owned()), "{tools:?}");
    ran.ends(0).says("two tools are named `bash_output`").says("left out");
}

#[test]
fn s18_13_an_agent_of_a_file_names_tools_of_servers() {
    let home = home("");
    let agent = crate::agents::agent("viewer", "tools: [read, my_env]\n", "View.");
    home.file(".config/legwork/agents/viewer.md", &agent);
    let (tools, ran) = offered(&home, &["--sandbox", "off", "--agent", "viewer"]);
    assert_eq!(tools, ["my_env"], "{}", ran.err);
}
