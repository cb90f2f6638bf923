//! What an MCP server asks the model in the middle of a call.

use legwork_testkit::{Asked, Gate, Script, Server, Turn};
use serde_json::json;

use crate::home::{Home, started, text};
use crate::mcp_questions::{result, write_server};

/// The server asks the model for a colour.
const ASKS: &str = r#"    *'"method":"tools/call"'*)
      call=$id
      printf '%s\n' '{"jsonrpc":"2.0","id":77,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Name a colour."}}],"systemPrompt":"Be brief.","maxTokens":50}}' ;;
    *'"id":77'*)
      said=$(printf %s "$line" | tr -d '"\\')
      answer "$call" "{\"content\":[{\"type\":\"text\",\"text\":\"painted $said\"}]}" ;;"#;

fn is_prompt(asked: &Asked) -> bool {
    asked.instructions == "Be brief."
}

/// A home whose user has the server, with more said of it, and a model that paints.
fn home(more: &str, gate: &Gate) -> (Home, Server) {
    let home = Home::new();
    write_server(&home, ASKS);
    let table = format!("sandbox = \"off\"\n[mcp.my]\ncommand = [\"sh\", \"server.sh\"]\n{more}");
    home.file(".config/legwork/legwork.toml", &table);
    let gate = gate.clone();
    let script = Script::from_fn(move |asked| match asked.turn() {
        _ if is_prompt(asked) => Turn::text("red").behind(&gate),
        0 => Turn::call("my_paint", json!({})),
        _ => Turn::text("Done."),
    });
    (home, Server::start(script).unwrap())
}

fn open() -> Gate {
    let gate = Gate::new();
    gate.open();
    gate
}

fn prompts(server: &Server) -> Vec<Asked> {
    let asked = server.requests().into_iter().map(|request| request.asked);
    asked.filter(is_prompt).collect()
}

#[test]
fn s18_18_a_server_asks_the_model_where_its_table_says_so() {
    let (home, server) = home("sampling = true\n", &open());
    home.ran_with(&server, &["run", "Paint"]).ends(0);
    let result = result(&server);
    assert!(result.contains("text:red") && result.contains("stopReason:endTurn"), "{result}");
    let [prompt] = &prompts(&server)[..] else { panic!() };
    assert_eq!((prompt.messages.len(), prompt.last()), (1, "Name a colour."));
    assert!(prompt.tools.is_empty());
    let listed = home.ran(&["mcp", "list", "--json"]).ends(0).last();
    assert_eq!(listed["sampling"], true);

    let (home, server) = self::home("", &open());
    home.ran_with(&server, &["run", "Paint"]).ends(0);
    let result = self::result(&server);
    assert!(result.contains("code:-32601") && prompts(&server).is_empty(), "{result}");
}

#[test]
fn s18_18_a_command_that_is_killed_while_the_model_is_asked_goes_on() {
    let gate = Gate::new();
    let (home, server) = home("sampling = true\n", &gate);
    let run = started(home.with(&server, &["run", "--json", "Paint"]));
    gate.arrived_blocking(1);
    run.kill();
    gate.open();
    let id = text(&home.ran(&["sessions", "list", "--json"]).last(), "session");
    home.ran_with(&server, &["resume", &id]).ends(0);
    let result = result(&server);
    assert!(result.contains("text:red"), "{result}");
    assert_eq!(prompts(&server).len(), 2, "it is asked again");
    let shown = home.ran(&["sessions", "export", &id, "--format", "jsonl"]).ends(0).out;
    assert_eq!(shown.matches("\"tool_prompt\"").count(), 2, "{shown}");
}
