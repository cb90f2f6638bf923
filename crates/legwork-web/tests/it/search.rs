//! Search engines, played by a server with the shape of their real answers.

use std::io::Write as _;

use legwork_web::search::{Error, HttpSearch, Query, SearchProvider as _, WebSearch};
use serde_json::{Value, json};

use crate::site::{Site, answer, call, failed, ok, read, redirect};

const BRAVE: &str = r#"{"query": {"original": "rust"}, "mixed": {}, "type": "search",
    "web": {"type": "search", "results": [
        {"title": "Rust", "url": "https://www.rust-lang.org/", "is_source_local": false,
         "description": "A language\n  for everyone.", "page_age": "2024-02-03T10:00:00",
         "profile": {"name": "rust-lang"}, "language": "en"},
        {"title": "No address"},
        {"title": "Docs", "url": "https://docs.rs/", "description": "Docs.", "age": "May 1, 2023"}],
        "family_friendly": true}}"#;

const TAVILY: &str = r#"{"query": "rust", "follow_up_questions": null, "answer": null, "images": [],
    "results": [{"title": "Rust", "url": "https://www.rust-lang.org/", "content": "A language.",
        "score": 0.98, "raw_content": null}], "response_time": 1.2}"#;

const SEARXNG: &str = r#"{"query": "rust", "number_of_results": 0, "results": [
    {"url": "https://www.rust-lang.org/", "title": "Rust", "content": "A language.",
     "publishedDate": null, "engine": "duckduckgo", "score": 4.0, "category": "general"},
    {"url": "https://docs.rs/", "title": "", "content": ""}],
    "answers": [], "suggestions": [], "unresponsive_engines": []}"#;

fn engine(name: &str, site: &Site) -> HttpSearch {
    let key = (name != "searxng").then_some("k-1234");
    HttpSearch::new(name, key, Some(&site.url("/api/"))).unwrap()
}

#[tokio::test]
async fn brave_is_asked_by_a_query_with_its_key_in_a_header() {
    let site = Site::always("application/json", BRAVE);
    let tool = WebSearch::new(engine("brave", &site));
    let told = read(call(&tool, &json!({"query": "rust & c++", "count": 3})).await);
    assert_eq!(
        told,
        "1. Rust (2024-02-03T10:00:00)\n   https://www.rust-lang.org/\n   A language for everyone.\
         \n\n2. Docs (May 1, 2023)\n   https://docs.rs/\n   Docs."
    );
    let asked = &site.asked()[0];
    let line = "GET /api/web/search?q=rust%20%26%20c%2B%2B&count=3&result_filter=web\
                &text_decorations=false HTTP/1.1\r\n";
    assert!(asked.starts_with(line), "{asked}");
    assert!(asked.contains("x-subscription-token: k-1234\r\n"), "{asked}");
}

#[tokio::test]
async fn tavily_is_asked_by_json_with_a_bearer_token() {
    let site = Site::always("application/json", TAVILY);
    let hits = engine("tavily", &site).search(&Query::new("rust", 99)).await.unwrap();
    assert_eq!((hits.len(), &*hits[0].snippet), (1, "A language."));
    let asked = &site.asked()[0];
    assert!(asked.starts_with("POST /api/search HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains("authorization: Bearer k-1234\r\n"), "{asked}");
    let (_, body) = asked.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    let fields = json!({"query": "rust", "max_results": 20, "search_depth": "basic",
        "include_answer": false});
    assert_eq!(body, fields);
}

#[tokio::test]
async fn searxng_needs_an_address_and_no_key_and_gives_no_more_than_asked() {
    let site = Site::always("application/json", SEARXNG);
    let hits = engine("searxng", &site).search(&Query::new("rust", 1)).await.unwrap();
    assert_eq!(hits.len(), 1);
    let all = WebSearch::new(engine("searxng", &site));
    let told = read(call(&all, &json!({"query": "rust"})).await);
    assert!(told.ends_with("2. https://docs.rs/\n   https://docs.rs/"), "{told}");
    assert!(site.asked()[0].starts_with("GET /api/search?q=rust&format=json HTTP/1.1\r\n"));
    assert!(matches!(HttpSearch::new("searxng", None, None), Err(Error::NoAddress { .. })));
}

#[tokio::test]
async fn nothing_found_is_no_error() {
    let site = Site::start(|path, stream| {
        let body: &[u8] = if path.starts_with("/api/web") {
            b"{\"type\": \"search\"}"
        } else {
            b"{\"results\": []}"
        };
        stream.write_all(&ok("application/json", body))
    });
    for name in ["brave", "tavily", "searxng"] {
        let tool = WebSearch::new(engine(name, &site));
        let told = read(call(&tool, &json!({"query": " zzz "})).await);
        assert!(told.starts_with("Nothing was found for \"zzz\""), "{told}");
    }
}

#[tokio::test]
async fn s13_15_errors_of_an_engine_are_typed_and_say_what_it_says() {
    let site = Site::start(|path, stream| {
        let json = [("content-type", "application/json"), ("retry-after", "7")];
        stream.write_all(&match path.split('/').nth(1).unwrap_or_default() {
            "401" => answer(
                "401 Unauthorized",
                &json,
                br#"{"detail": {"error": "Unauthorized: no key"}}"#,
            ),
            "403" => answer("403 Forbidden", &json, b"no json"),
            "429" => answer(
                "429 Too Many",
                &json,
                br#"{"error": {"code": "RATE", "detail": "Slow down"}}"#,
            ),
            "500" => answer("500 Oops", &json, br#"{"message": "broken"}"#),
            "cut" => ok("application/json", b"{\"results\": ["),
            "list" => ok("application/json", b"[]"),
            "error" => ok("application/json", b"{\"error\": \"odd\"}"),
            _ => ok("application/json", b"{\"results\": {}}"),
        })
    });
    let ask = async |path: &str| {
        let base = site.url(&format!("/{path}"));
        let engine = HttpSearch::new("tavily", Some("k-1234"), Some(&base)).unwrap();
        engine.search(&Query::new("rust", 3)).await.unwrap_err()
    };
    let told = ask("401").await;
    assert!(matches!(told, Error::Unauthorized { status: 401, .. }), "{told:?}");
    assert_eq!(
        told.to_string(),
        "tavily refuses the key (401): Unauthorized: no key: a person has to set a valid one"
    );
    assert!(matches!(ask("403").await, Error::Unauthorized { status: 403, .. }));
    let told = ask("429").await;
    assert!(told.is_retryable() && matches!(told, Error::RateLimited { .. }), "{told:?}");
    assert_eq!(
        told.to_string(),
        "tavily takes no more requests for now (429): Slow down; ask again after 7 s"
    );
    let told = ask("500").await;
    assert!(told.is_retryable(), "{told:?}");
    assert_eq!(told.to_string(), "tavily answered 500: broken");
    for path in ["cut", "list", "error", "object"] {
        let told = ask(path).await;
        assert!(matches!(told, Error::Malformed { .. }), "{path}: {told:?}");
    }
    let tool =
        WebSearch::new(HttpSearch::new("brave", Some("k"), Some(&site.url("/429"))).unwrap());
    let told = failed(call(&tool, &json!({"query": "x"})).await);
    assert!(told.ends_with("It may work later."), "{told}");
}

#[test]
fn s13_11_a_key_that_goes_over_plain_http_to_another_machine_is_known() {
    let exposed = |key, url| {
        let engine = HttpSearch::new("searxng", key, Some(url)).unwrap();
        engine.exposes_key().map(ToString::to_string)
    };
    let key = Some("k-1234");
    assert_eq!(exposed(key, "http://search.example.com").as_deref(), Some("search.example.com:80"));
    assert_eq!(exposed(key, "http://10.0.0.7:8080").as_deref(), Some("10.0.0.7:8080"));
    for url in [
        "https://search.example.com",
        "http://127.0.0.1:8080",
        "http://localhost:8080",
        "http://[::1]:8080",
    ] {
        assert_eq!(exposed(key, url), None, "{url}");
    }
    assert_eq!(exposed(None, "http://search.example.com"), None);
}

#[test]
fn what_an_engine_needs_is_said_when_it_is_made() {
    let error = |made: Result<HttpSearch, Error>| made.unwrap_err().to_string();
    let told = error(HttpSearch::new("gogle", None, None));
    assert_eq!(told, "there is no search engine \"gogle\": they are brave, tavily, searxng");
    let told = error(HttpSearch::new("brave", None, None));
    assert!(told.contains("BRAVE_API_KEY") && told.contains("[keys.brave]"), "{told}");
    assert!(error(HttpSearch::new("brave", Some("a\nb"), None)).contains("no header may have"));
    assert!(error(HttpSearch::new("searxng", None, Some("ftp://x.org"))).contains("only http"));
    let shown = format!("{:?}", HttpSearch::new("brave", Some("k-1234"), None).unwrap());
    assert!(!shown.contains("k-1234"), "{shown}");
}

#[tokio::test]
async fn s13_15_a_redirect_is_not_followed_and_the_key_goes_nowhere_else() {
    let other = Site::always("application/json", TAVILY);
    let answer = redirect(&other.url("/"));
    let site = Site::start(move |_, stream| stream.write_all(&answer));
    for name in ["brave", "tavily"] {
        let told = engine(name, &site).search(&Query::new("rust", 3)).await;
        assert!(told.is_err(), "{told:?}");
    }
    assert!(other.asked().is_empty() && site.asked().len() == 2);
}
