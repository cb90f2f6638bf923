//! Which models a server offers, asked over real HTTP.

use std::time::Duration;

use legwork_models::catalogue::{Origin, Row};
use legwork_models::http::Timeouts;
use legwork_models::remote::Unavailable;
use legwork_models::{Builder, Catalogue, openai};
use legwork_port::model::Kind;
use legwork_port::{Ability, Model, Profile, Support};
use serde_json::json;

use crate::server::{Act, Server, answer};

fn json(status: &str, body: &serde_json::Value) -> Act {
    Act::Close(answer(status, "application/json", "", &body.to_string()))
}

fn at(server: &Server) -> Builder {
    openai::chat(&*server.base_url, "any").api_key("sk-secret").header("x-team", "blue")
}

async fn kind(act: Act) -> (Kind, String) {
    let server = Server::start([act]).await;
    match at(&server).offered().await {
        Err(Unavailable::Model(error)) => (error.kind, error.message),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_list_comes_in_the_servers_order() {
    let list = json!({"data": [{"id": "b", "context_length": 9}, {"id": "a"}]});
    let server = Server::start([json("200 OK", &list)]).await;
    let models = at(&server).offered().await.unwrap();
    let read: Vec<_> = models.iter().map(|one| (&*one.id, one.context_window)).collect();
    assert_eq!(read, [("b", Some(9)), ("a", None)]);
    let request = &server.requests()[0];
    assert!(request.starts_with("GET /v1/models HTTP/1.1\r\n"), "{request}");
    let request = request.to_ascii_lowercase();
    assert!(
        request.contains("authorization: bearer sk-secret") && request.contains("x-team: blue")
    );
}

#[tokio::test]
async fn an_answer_that_is_not_a_list_is_an_error() {
    let error = json!({"error": {"message": "bad key", "code": "invalid_api_key"}});
    let (kind_of, words) = kind(json("401 Unauthorized", &error)).await;
    assert_eq!(kind_of, Kind::Unauthorized);
    assert!(words.starts_with("asking which models there are at http://"), "{words}");
    assert!(words.contains("bad key") && !words.contains("sk-secret"), "{words}");
    let page = Act::Close(answer("200 OK", "text/html", "", "<html>Welcome</html>"));
    let (kind_of, words) = kind(page).await;
    assert_eq!(kind_of, Kind::Malformed);
    assert!(words.contains("not a list of models") && words.contains("base URL"), "{words}");
    assert_eq!(kind(json("404 Not Found", &json!({}))).await.0, Kind::UnknownModel);
    assert_eq!(kind(Act::Close(String::new())).await.0, Kind::Unreachable);
}

#[tokio::test]
async fn a_server_that_stalls_is_given_up() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"data\": [";
    for stalled in ["", head] {
        let server = Server::start([Act::Stall(stalled.to_owned())]).await;
        let first_byte = Duration::from_millis(100);
        let asked = at(&server).timeouts(Timeouts { first_byte, ..Timeouts::default() });
        match asked.offered().await {
            Err(Unavailable::Model(error)) => assert_eq!(error.kind, Kind::Timeout),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_malformed_address_is_an_error() {
    let error = openai::chat("nowhere", "any").offered().await.unwrap_err();
    assert!(matches!(error, Unavailable::Setup(_)) && error.to_string().contains("nowhere"));
}

#[cfg(feature = "anthropic")]
#[test]
fn s11_9_what_an_api_lacks_counts_before_the_catalogue_and_after_ones_own() {
    let claude = |own: Catalogue| {
        let model = legwork_models::anthropic::messages("http://127.0.0.1:1", "claude-haiku-4-5");
        model.catalogue(own).build().unwrap().profile().clone()
    };
    let known = claude(Catalogue::none());
    assert_eq!(known.supports(Ability::JsonObject), Support::No);
    assert_eq!(known.supports(Ability::ForcedCalls), Support::Yes);
    assert_eq!(known.supports(Ability::Embeddings), Support::Unknown);
    let own = Row::new("anthropic:claude-haiku-4-5", Origin::new("by hand")).unwrap();
    let known = claude(Catalogue::none().with(own.with(Ability::JsonObject)));
    assert_eq!(known.supports(Ability::JsonObject), Support::Yes);
    assert_eq!(known.context_window, Some(200_000));
}

#[test]
fn s11_9_a_profile_that_is_given_counts_before_the_shipped_catalogue() {
    let given = Profile::new().with_max_output(7).without(Ability::Tools);
    let own = Row::new("openai:gpt-5-mini", Origin::new("by hand")).unwrap().with_max_output(9);
    let at = |own| openai::chat("http://127.0.0.1:1/v1", "gpt-5-mini").catalogue(own);
    let model = at(Catalogue::none()).profile(given.clone()).build().unwrap();
    assert_eq!(*model.profile(), given);
    let model = at(Catalogue::none().with(own)).profile(given.clone()).build().unwrap();
    assert_eq!(*model.profile(), given.with_max_output(9));
    let free = at(Catalogue::none()).free().build().unwrap();
    assert!(free.profile().prices.as_ref().unwrap().is_free());
}

#[test]
fn s11_9_a_model_costs_what_the_shipped_catalogue_says_unless_ones_own_says_otherwise() {
    let own = r#"[{"model": "acme:gpt-5-mini", "price": {"input": "9", "output": "9"},
                   "source": "contract", "date": "2026-11-22"}]"#;
    let own = Catalogue::from_json(own).unwrap();
    let price = |builder: Builder| builder.build().unwrap().profile().price_at(0).unwrap().input.0;
    let at = |model| openai::chat("http://127.0.0.1:1/v1", model).catalogue(own.clone());
    assert_eq!(price(at("gpt-5-mini")), 250_000);
    assert_eq!(price(at("gpt-5-mini-2025-08-07")), 250_000);
    assert_eq!(price(at("gpt-5-mini").provider("acme")), 9_000_000);
    assert_eq!(at("clerk-1").build().unwrap().profile().prices, None);
}
