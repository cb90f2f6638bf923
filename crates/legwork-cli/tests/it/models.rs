//! `legwork models`: what servers offer, and whether a model answers.

use std::net::TcpListener;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, Ran, ran, text};

/// An address at which nothing listens.
fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

fn server() -> Server {
    Server::start([Turn::text("pong")]).unwrap()
}

fn list_with(home: &Home, server: &Server, args: &[&str]) -> Ran {
    let mut command = home.legwork(&[&["models", "list"], args].concat());
    command.env("OPENAI_BASE_URL", server.base_url());
    ran(command)
}

#[test]
fn each_known_server_has_its_line_and_dead_ones_are_not_the_end() {
    let (home, server) = (Home::new(), server());
    let told = list_with(&home, &server, &[]).ends(0);
    assert_eq!(told.err, "");
    let (servers, others) = told.out.split_once("\n\n").unwrap();
    assert!(others.starts_with("Without a key: ") && others.contains("anthropic, "), "{others}");
    assert!(others.contains("`legwork models list NAME`"), "{others}");
    let lines: Vec<_> = servers.lines().filter(|line| !line.starts_with(' ')).collect();
    let names: Vec<_> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["openai", "ollama", "llamacpp", "lmstudio", "vllm"]);
    assert!(lines[0].contains(&server.base_url()), "{}", lines[0]);
    assert!(lines[0].ends_with("1 model, without a key"), "{}", lines[0]);
    assert!(told.out.contains("\n  scripted\n"), "{}", told.out);
    let rows = list_with(&home, &server, &["--json"]).ends(0).events();
    assert_eq!(rows.len(), 5);
    assert_eq!(
        (&rows[0]["models"][0]["id"], &rows[0]["key"]),
        (&"scripted".into(), &"missing".into())
    );
    assert_eq!(
        (text(&rows[1], "provider"), text(&rows[1], "key")),
        ("ollama".into(), "not_wanted".into())
    );
}

#[test]
fn a_provider_whose_key_is_there_has_a_line_and_is_asked_as_its_api_wants() {
    let (home, server) = (Home::new(), server());
    let mut command = home.legwork(&["models", "list"]);
    command.env("ANTHROPIC_BASE_URL", server.base_url()).env("ANTHROPIC_API_KEY", "sk-ant-secret");
    let told = ran(command).ends(0);
    let line = told.out.lines().find(|line| line.starts_with("anthropic")).unwrap();
    assert!(line.contains(&server.base_url()) && line.ends_with("1 model"), "{line}");
    assert!(!told.out.contains(", anthropic, "), "{}", told.out);
}

#[test]
fn a_provider_of_accounts_with_addresses_of_their_own_says_where_to_give_it() {
    let home = Home::new();
    let told = home.ran(&["models", "list", "azure"]).ends(2);
    told.says("each account of Azure OpenAI has a base URL of its own")
        .says("AZURE_OPENAI_BASE_URL");
}

#[test]
fn without_a_key_nobody_asks_openai() {
    let home = Home::new();
    home.ran(&["models", "list", "openai"])
        .ends(2)
        .says("openai wants a key")
        .says("OPENAI_API_KEY");
    let told = home.ran(&["models", "list", "openai", "--json"]).ends(1).last();
    assert_eq!(text(&told, "error"), "no key: set OPENAI_API_KEY");
}

#[test]
fn any_server_can_be_asked_by_its_address() {
    let (home, server) = (Home::new(), server());
    let url = server.base_url();
    let told = home.ran(&["models", "list", "my", "--base-url", &url]).ends(0);
    assert!(told.out.starts_with(&format!("my  {url}  1 model")), "{}", told.out);
    assert!(home.ran(&["models", "list", "--base-url", &url]).ends(0).out.starts_with("server  "));
    let dead = nowhere();
    let told = home.ran(&["models", "list", "my", "--base-url", &dead]).ends(1);
    told.says("asking which models there are at http://").says("could not connect").says("hint: ");
    let told = home.ran(&["models", "list", "my", "--json", "--base-url", &dead]).ends(1);
    assert!(text(&told.last(), "error").contains("could not connect"), "{}", told.out);
    let secret = dead.replace("http://", "http://me:hunter2@");
    let told = home.ran(&["models", "list", "my", "--json", "--base-url", &secret]).ends(1);
    assert!(!told.out.contains("hunter2") && !told.err.contains("hunter2"), "{told:?}");
    home.ran(&["models", "list", "olama"]).ends(2).says("did you mean `ollama`?");
    home.ran(&["models", "list", "my", "--base-url", "nowhere"]).ends(2).says("nowhere");
}

#[test]
fn a_ping_tells_how_fast_and_what_it_took() {
    let (home, server) = (Home::new(), server());
    let told = home.ran_with(&server, &["models", "ping"]).ends(0);
    assert!(told.out.starts_with("test:scripted answers: "), "{}", told.out);
    assert!(told.out.contains(" tokens in, "), "{}", told.out);
    let told = home.ran_with(&server, &["models", "ping", "--json", "test:other"]).ends(0).last();
    assert_eq!((text(&told, "model"), text(&told, "text")), ("test:other".into(), "pong".into()));
    assert!(told["answer_ms"].is_u64() && told["first_ms"].is_u64(), "{told}");
    assert!(told["cost_usd"].is_null(), "{told}");
    let priced = home.ran_with(&server, &["models", "ping", "--json", "openai:gpt-5-mini"]);
    assert!(priced.ends(0).last()["cost_usd"].as_f64().unwrap() > 0.0);
    let asked = &server.requests()[0].body;
    assert!(asked["max_tokens"].as_u64().unwrap() <= 16, "{asked}");
    assert!(!home.store().exists());
}

#[test]
fn a_ping_without_an_answer_says_what_to_do() {
    let home = Home::new();
    let dead = nowhere();
    let ping = |args: &[&str]| home.ran(&[&["models", "ping"], args].concat());
    let told = ping(&["my:x", "--base-url", &dead]).ends(1);
    told.says("asking my:x at http://").says("hint: see whether the server runs");
    let told = ping(&["my:x", "--json", "--base-url", &dead]).ends(1).last();
    assert_eq!(told["type"], "run_failed");
    ping(&[]).ends(2).says("no model is set up");
    ping(&["my:x"]).ends(2).says("the provider `my` is not known");
    let refused = Server::start([Turn::status(404)]).unwrap();
    ping(&["my:x", "--base-url", &refused.base_url()]).ends(1).says("hint: name a model");
}

#[test]
fn a_server_that_hangs_is_given_up() {
    // Connections are taken by the system, and nobody answers.
    let hangs = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", hangs.local_addr().unwrap());
    let ping = ["models", "ping", "my:x", "--timeout", "1", "--base-url", &url];
    Home::new().ran(&ping).ends(1).says("within 1");
}

#[test]
fn a_price_says_where_it_comes_from() {
    let (home, server) = (Home::new(), Server::start([]).unwrap());
    home.settings("[models.\"openai:scripted\"]\nprice = { input = 2, output = 10 }\n");
    let args = ["models", "list", "openai", "--base-url", &server.base_url()];
    let told = home.ran(&args).ends(0).out;
    let path = "~/.config/legwork/legwork.toml:1";
    assert!(told.contains(&format!("$2.00 in, $10.00 out a million ({path})\n")), "{told}");
    let told = home.ran(&[&args[..], &["--json"]].concat()).ends(0).last();
    let price = &told["models"][0]["price_per_million"];
    assert_eq!((&price["cache_read_usd"], &price["source"]), (&json!(2.0), &json!(path)), "{told}");
}

#[test]
fn s11_9_what_is_known_of_a_model_is_shown_with_where_it_was_read() {
    let home = Home::new();
    let told = home.ran(&["models", "show", "google:gemini-2.5-pro"]).ends(0);
    for line in [
        "google:gemini-2.5-pro\n",
        "  context window  1,048,576 tokens\n",
        "  price           $1.25 in, $10.00 out a million\n",
        "  above 200,000   $2.50 in, $15.00 out; ",
        "  not known       embeddings\n",
        "  counts tokens   by the provider\n",
        "  read            2026-07-02, https://",
    ] {
        assert!(told.out.contains(line), "{}", told.out);
    }
    let told = home.ran(&["models", "show", "--json", "google:gemini-2.5-pro"]).ends(0).last();
    assert_eq!(told["context_window"], 1_048_576);
    let long = &told["price_per_million"]["above"][0];
    assert_eq!((&long["input_tokens"], &long["input_usd"]), (&json!(200_000), &json!(2.5)));
    let abilities = &told["abilities"];
    assert_eq!((&abilities["audio"], &abilities["embeddings"]), (&json!(true), &json!(null)));
    assert_eq!(told["counts_tokens"], true);
    assert!(told["sources"].as_array().unwrap().iter().all(|from| from["date"].is_string()));
}

#[test]
fn s11_9_what_the_user_says_of_a_model_counts_and_the_rest_stays() {
    let home = Home::new();
    home.settings("[models.\"openai:gpt-5-mini\"]\nmax_output = 5000\ncannot = [\"tools\"]\n");
    let told =
        home.ran(&["models", "show", "--json", "openai:gpt-5-mini-2025-08-07"]).ends(0).last();
    assert_eq!((&told["max_output"], &told["context_window"]), (&json!(5_000), &json!(400_000)));
    assert_eq!(told["abilities"]["tools"], false);
    let path = json!("~/.config/legwork/legwork.toml:1");
    assert!(
        told["sources"].as_array().unwrap().iter().any(|from| from["source"] == path),
        "{told}"
    );
    home.settings("[models.\"my:big\"]\ncontext_window = 64000\n");
    let told = home.ran(&["models", "show", "my:big"]).ends(0).out;
    assert!(told.contains("64,000 tokens") && told.contains("price           unknown"), "{told}");
    let local = home.ran(&["models", "show", "ollama:qwen3"]).ends(0).out;
    assert!(local.contains("price           nothing"), "{local}");
}

#[test]
fn a_model_that_nobody_knows_names_its_neighbour() {
    let home = Home::new();
    let told = home.ran(&["models", "show", "openai:gpt-5-mimi"]).ends(2);
    told.says("nothing is known of the model `openai:gpt-5-mimi`")
        .says("did you mean `openai:gpt-5-mini`?");
    home.ran(&["models", "show", "my:thing"]).ends(2).says("[models.\"my:thing\"]");
    home.ran(&["models", "show", "gpt-5"]).ends(2).says("did you mean `openai:gpt-5`?");
    home.ran(&["models", "show", "clerk"]).ends(2).says("name it as PROVIDER:NAME");
}
