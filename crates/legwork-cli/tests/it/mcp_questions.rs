//! Questions of an MCP server in the middle of a call: asked at the terminal, answered elsewhere.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, Ran, text};

/// A server of the older revision with one tool, `paint`, in the words of a shell.
const SERVER: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
while read -r line; do
  id=$(expr "$line" : '.*"id":\([0-9]*\)')
  case "$line" in
    *'"method":"server/discover"'*)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
    *'"method":"initialize"'*)
      answer "$id" '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"method":"tools/list"'*)
      answer "$id" '{"tools":[{"name":"paint","description":"Paints.","inputSchema":{"type":"object"}}]}' ;;
    CALLS
  esac
done
"#;

/// Which colour, and how many coats.
const ASKS: &str = r#"    *'"method":"tools/call"'*)
      call=$id
      printf '%s\n' '{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"mode":"form","message":"How is the door to be?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string","enum":["red","green"],"title":"Colour"},"coats":{"type":"integer","default":2,"description":"how often"}},"required":["colour"]}}}' ;;
    *'"action":"accept"'*)
      said=$(printf %s "$line" | tr -d '"\\' | sed 's/.*content://')
      answer "$call" "{\"content\":[{\"type\":\"text\",\"text\":\"painted $said\"}]}" ;;"#;

/// The server in a folder, with what it does about calls and answers.
pub(crate) fn write_server(home: &Home, calls: &str) {
    fs::write(home.work().join("server.sh"), SERVER.replace("    CALLS", calls)).unwrap();
}

/// A home whose user has the server, and a model that paints.
pub(crate) fn home() -> (Home, Server) {
    let home = Home::new();
    write_server(&home, ASKS);
    home.file(".config/legwork/legwork.toml", "[mcp.my]\ncommand = [\"sh\", \"server.sh\"]\n");
    let turns = [Turn::call("my_paint", json!({})), Turn::text("Done.")];
    (home, Server::start(turns).unwrap())
}

/// What the model was told of its call.
pub(crate) fn result(server: &Server) -> String {
    server.requests().last().unwrap().asked.results().concat()
}

fn rests(home: &Home, server: &Server) -> (Ran, String) {
    let ran = home.ran_with(server, &["run", "--sandbox", "off", "Paint"]).ends(4);
    let id = text(&home.ran(&["sessions", "list", "--json"]).last(), "session");
    (ran, id)
}

#[test]
fn s7_9_s18_17_a_question_of_a_server_rests_and_another_command_answers_it() {
    let (home, server) = home();
    let (ran, id) = rests(&home, &server);
    let ran = ran.says("input: How is the door to be?");
    ran.says(&format!("to go on: legwork answer {id} --result \"..\""));
    let listed = home.ran(&["pending", &id]).ends(0).out;
    assert!(listed.contains("How is the door to be?"), "{listed}");
    let fields = "            Colour:\n            1 red\n            2 green\n            coats: how often\n";
    assert!(listed.contains(fields), "{listed}");
    assert!(listed.contains("--result '{\"colour\": .., \"coats\": ..}'"), "{listed}");
    let refused = [
        ("blue", "give a JSON object: {\"colour\": .., \"coats\": ..}"),
        ("{\"colour\": \"blue\"}", "Colour is to be one of 1 red, 2 green"),
        ("{\"coats\": 1}", "Colour is missing"),
    ];
    for (text, words) in refused {
        home.ran(&["answer", &id, "--result", text]).ends(2).says(words);
    }
    home.ran(&["approve", &id]).ends(2).says("needs input");
    home.ran(&["answer", &id, "--result", "{\"colour\": \"green\"}"]).ends(0);
    home.ran_with(&server, &["resume", "--sandbox", "off", &id]).ends(0);
    let result = result(&server);
    assert!(result.contains("painted {coats:2,colour:green}"), "{result}");
}

#[test]
fn s7_9_a_question_of_a_tool_is_denied_where_nobody_is_asked() {
    let (home, server) = home();
    let args = ["run", "--sandbox", "off", "--approve", "never", "Paint"];
    home.ran_with(&server, &args).ends(0);
    assert!(result(&server).contains("nobody is asked in this run"), "{}", result(&server));
    let (home, server) = self::home();
    let (_, id) = rests(&home, &server);
    home.ran(&["deny", &id, "-m", "leave it"]).ends(0);
    home.ran_with(&server, &["resume", "--sandbox", "off", &id]).ends(0);
    assert!(result(&server).contains("leave it"), "{}", result(&server));
}
