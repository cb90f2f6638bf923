//! What a login does not accept.

use serde_json::{Value, json};

use super::Person;
use super::world::World;
use crate::fixture::Fixture;

type Callback = Vec<(&'static str, Option<&'static str>)>;

/// A login that must be refused with these words, before a code is redeemed.
async fn check(about: &str, resource: Value, issuer: Value, callback: Callback, expected: &str) {
    let world = World::new(Fixture::new()).await;
    let is_asked = !callback.is_empty();
    {
        let mut now = world.now();
        (now.resource, now.issuer, now.callback) = (resource, issuer, callback);
    }
    let error = world.endpoint().log_in(&Person::default()).await.unwrap_err().to_string();
    assert!(error.contains(expected), "{about}: {error}");
    let now = world.now();
    assert_eq!(!now.authorized.is_empty(), is_asked, "{about}");
    assert!(now.clients.is_empty() && !world.file().exists(), "{about}");
    assert!(now.secrets.iter().all(|secret| !error.contains(secret)), "{about}: {error}");
}

#[tokio::test]
async fn s18_12_answers_that_are_not_those_of_the_page_are_refused() {
    let none = || json!({});
    for (about, callback, expected) in [
        ("state", vec![("state", Some("other"))], "another login"),
        ("no state", vec![("state", None)], "another login"),
        ("iss", vec![("iss", Some("https://other.example"))], "another authorization server"),
        ("no iss", vec![("iss", None)], "without the name"),
        ("no code", vec![("code", None)], "without a code"),
        ("no", vec![("error", Some("access_denied"))], "says `access_denied`"),
        (
            "no from another",
            vec![("error", Some("access_denied")), ("iss", Some("https://other.example"))],
            "another authorization server",
        ),
    ] {
        check(about, none(), none(), callback, expected).await;
    }
}

#[tokio::test]
async fn s18_12_metadata_that_breaks_the_rules_is_refused() {
    let none = || json!({});
    for (about, resource, issuer, expected) in [
        ("no PKCE", none(), json!({"code_challenge_methods_supported": null}), "PKCE"),
        ("plain PKCE", none(), json!({"code_challenge_methods_supported": ["plain"]}), "PKCE"),
        ("issuer", none(), json!({"issuer": "https://other.example"}), "it is another one"),
        ("no issuer", none(), json!({"issuer": null}), "does not name its issuer"),
        ("resource", json!({"resource": "https://other.example/mcp"}), none(), "for another one"),
        ("no registration", none(), json!({"registration_endpoint": null}), "cannot register"),
        ("no code", none(), json!({"response_types_supported": ["token"]}), "does not give codes"),
        ("token", none(), json!({"token_endpoint": "ftp://a/b"}), "not at `https://`"),
        (
            "registration at a private address",
            none(),
            json!({"registration_endpoint": "http://10.0.0.1/register"}),
            "must not send us to",
        ),
    ] {
        check(about, resource, issuer, Vec::new(), expected).await;
    }
}

#[tokio::test]
async fn s18_12_a_client_that_is_known_is_not_shown_to_another_authorization_server() {
    let world = World::new(Fixture::new()).await;
    let login = world.login().confidential_client("known", "secret").issuer("https://as.example");
    let endpoint = legwork_mcp::Endpoint::new(&world.web.url).unwrap().authorized(login);
    let error = endpoint.log_in(&Person::default()).await.unwrap_err().to_string();
    assert!(error.contains("not `https://as.example`"), "{error}");
    assert!(world.now().authorized.is_empty());
}

#[tokio::test]
async fn s18_12_a_server_that_asks_for_nothing_and_names_nobody_is_not_logged_in_to() {
    let web = crate::http::Web::of(|_| async { crate::http::plain(404, &[], "") }).await;
    let world = World::new(Fixture::new()).await;
    let endpoint = legwork_mcp::Endpoint::new(&web.url).unwrap();
    let error = endpoint.log_in(&Person::default()).await.unwrap_err().to_string();
    assert!(error.contains("was not set up how to log in"), "{error}");
    let error = endpoint.authorized(world.login()).log_in(&Person::default()).await.unwrap_err();
    assert!(error.to_string().contains("names no authorization server"), "{error}");
}

#[tokio::test]
async fn s18_12_a_header_and_a_login_are_not_given_together() {
    let world = World::new(Fixture::new()).await;
    let endpoint = world.endpoint().header("Authorization", "Bearer mine").unwrap();
    let error = endpoint.log_in(&Person::default()).await.unwrap_err().to_string();
    assert!(error.contains("both a header `Authorization` and a login"), "{error}");
}
