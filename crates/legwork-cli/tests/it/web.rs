//! `fetch` and `web_search`: offered where there is network, held to it, set in `legwork.toml`.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, text};

const SETTINGS: &str = ".config/legwork/legwork.toml";
const KEY: &str = "tvly-0123456789abcdef";

/// A server on this machine that answers everything so, and what it was asked.
struct Site {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    fn start(content_type: &str, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let length = body.len();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\n");
        let answer = format!("{head}content-length: {length}\r\n\r\n{body}");
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (mut all, mut piece) = (String::new(), [0; 4_096]);
                while !is_whole(&all) {
                    let Ok(count @ 1..) = stream.read(&mut piece) else { break };
                    all.push_str(&String::from_utf8_lossy(&piece[..count]));
                }
                kept.lock().unwrap().push(all);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { address, asked }
    }

    fn url(&self) -> String {
        format!("http://{}/page", self.address)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}

/// The names of the tools that are listed.
fn tools(home: &Home, args: &[&str]) -> Vec<String> {
    let list = home.ran(&[&["tools", "list", "--json"], args].concat()).ends(0);
    list.events().iter().map(|spec| text(spec, "name")).collect()
}

fn has(home: &Home, args: &[&str]) -> (bool, bool) {
    let tools = tools(home, args);
    let has = |name: &str| tools.iter().any(|tool| tool == name);
    (has("fetch"), has("web_search"))
}

#[test]
fn s13_14_s13_15_tools_for_the_web_are_offered_where_the_network_and_the_settings_allow() {
    let home = Home::new();
    assert_eq!(has(&home, &[]), (false, false));
    assert_eq!(has(&home, &["--network", "all"]), (true, false));
    home.file(SETTINGS, "[search]\nprovider = \"brave\"\n");
    assert_eq!(has(&home, &[]), (false, false));
    assert_eq!(has(&home, &["--network", "all"]), (true, true));
    assert_eq!(has(&home, &["--network", "docs.rs"]), (true, false));
    assert_eq!(has(&home, &["--network", "docs.rs,api.search.brave.com"]), (true, true));
}

#[test]
fn s13_14_fetch_is_held_to_the_network() {
    let (home, site) = (Home::new(), Site::start("text/html", "<h1>Hello</h1>"));
    let (arguments, here) = (json!({"url": site.url()}).to_string(), site.address.to_string());
    let fetch =
        |network: &str| home.ran(&["tools", "call", "fetch", &arguments, "--network", network]);
    assert!(fetch(&here).ends(0).out.contains("\n\n# Hello\n"));
    fetch("all").ends(1).says("its address belongs to this machine");
    fetch("docs.rs").ends(1).says("only these hosts may be: docs.rs");
    fetch("off").ends(2).says("there is no tool \"fetch\"");
    assert_eq!(site.asked().len(), 1);
    home.file(SETTINGS, &format!("[web]\ndeny = [\"{here}\"]\n"));
    fetch(&here).ends(1).says("the settings deny it");
    home.file(SETTINGS, &format!("[web]\nallow = [\"{here}\"]\n"));
    assert!(fetch("all").ends(0).out.contains("# Hello"));
    home.file(SETTINGS, "[web]\nallow = [\"docs.rs\"]\n");
    fetch(&here).ends(1).says("only these hosts may be: docs.rs");
}

#[test]
fn a_run_reads_a_page() {
    let (home, site) = (Home::new(), Site::start("text/html", "<h1>Hello</h1>"));
    let turns = [Turn::call("fetch", json!({"url": site.url()})), Turn::text("Done.")];
    let (server, here) = (Server::start(turns).unwrap(), site.address.to_string());
    let ran = home.ran_with(&server, &["run", "--network", &here, "Read it"]).ends(0);
    ran.says("fetch http://127.0.0.1:");
    let requests = server.requests();
    assert!(requests[0].asked.tools.contains(&"fetch".to_owned()));
    assert!(requests[1].asked.results()[0].contains("# Hello"));
}

#[test]
fn s13_11_s13_15_a_search_sends_its_key_to_its_server_and_the_key_is_masked() {
    let body = json!({"results": [{"title": "Doors", "url": "https://doors.example.com/",
        "content": format!("Your key is {KEY}.")}]});
    let (home, site) = (Home::new(), Site::start("application/json", &body.to_string()));
    let base = format!("http://{}", site.address);
    home.file(SETTINGS, &format!("[search]\nprovider = \"tavily\"\nbase_url = \"{base}\"\n"));
    let turns = [Turn::call("web_search", json!({"query": "doors"})), Turn::text("Done.")];
    let (server, here) = (Server::start(turns).unwrap(), site.address.to_string());
    let args = ["run", "--network", &here, "Search"];
    home.ran_with(&server, &args).ends(2).says("TAVILY_API_KEY").says("[keys.tavily]");
    let mut command = home.with(&server, &args);
    command.env("TAVILY_API_KEY", KEY);
    crate::home::ran(command).ends(0);
    assert!(site.asked()[0].contains(&format!("authorization: Bearer {KEY}\r\n")));
    let result = server.requests()[1].asked.results()[0].to_owned();
    assert!(result.contains("1. Doors\n   https://doors.example.com/"), "{result}");
    assert!(result.contains("Your key is [redacted]."), "{result}");
}

#[test]
fn s13_11_a_key_of_a_search_over_plain_http_is_warned_of() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    let settings = "[search]\nprovider = \"tavily\"\nbase_url = \"http://search.example.com\"\n";
    home.file(SETTINGS, settings);
    let mut command = home.with(&server, &["run", "--network", "all", "Hello"]);
    command.env("TAVILY_API_KEY", KEY);
    let ran = crate::home::ran(command).ends(0);
    ran.says("the key of tavily goes to search.example.com:80 over plain HTTP");
}

#[test]
fn s13_15_settings_of_a_search_say_what_is_wrong() {
    let home = Home::new();
    for (settings, words) in [
        ("[search]\nprovider = \"gogle\"\n", "it is one of brave, tavily, searxng"),
        (
            "[search]\nprovider = \"searxng\"\n",
            "has no `base_url`, and searxng has none of its own",
        ),
        ("[search]\nbase_url = \"http://x.org\"\n", "has no `provider`"),
        ("[search]\nprovidr = \"brave\"\n", "did you mean `provider`?"),
        ("[web]\nallow = [\"http://docs.rs\"]\n", "is not a host"),
        ("[web]\ndeny = \"docs.rs\"\n", "web.deny"),
    ] {
        home.file(SETTINGS, settings);
        home.ran(&["tools", "list"]).ends(2).says(words);
    }
    home.file(SETTINGS, "");
    for table in ["[search]\nprovider = \"brave\"\n", "[web]\nallow = []\n"] {
        home.file("work/legwork.toml", table);
        home.ran(&["tools", "list"]).ends(2).says("cannot be set in a project's file");
    }
}

#[test]
fn what_is_set_for_the_web_is_shown() {
    let home = Home::new();
    let settings = "[web]\nallow = [\"docs.rs\"]\n[search]\nprovider = \"brave\"\n";
    home.file(SETTINGS, settings);
    let shown = home.ran(&["config", "show"]).ends(0).out;
    assert!(shown.contains("web.allow = [\"docs.rs\"]"), "{shown}");
    assert!(shown.contains("search.provider = \"brave\""), "{shown}");
    let shown = home.ran(&["config", "show", "--json"]).ends(0).last();
    assert_eq!(shown["search"]["value"], json!({"provider": "brave"}), "{shown}");
}

#[test]
fn a_tool_for_the_web_that_is_asked_for_and_missing_is_told() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    let ran = home.ran_with(&server, &["run", "--tools", "read,fetch", "Hello"]).ends(0);
    ran.says("the agent has no `fetch`: there is no network: allow it with --network");
    let args = ["run", "--tools", "web_search", "--network", "all", "Hello"];
    home.ran_with(&server, &args).ends(0).says("there is no search engine: name one in [search]");
}
