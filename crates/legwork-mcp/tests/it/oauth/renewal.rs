//! Tokens that end.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use legwork_testkit::Gate;
use serde_json::json;
use tokio::sync::Barrier;

use super::Person;
use super::world::World;
use crate::fixture::Fixture;
use crate::http::run;

#[tokio::test]
async fn s18_12_tokens_are_renewed_when_they_end_and_when_they_are_refused() {
    let world = World::new(Fixture::new()).await;
    world.now().lasts = [Some(0), Some(3_600)];
    world.endpoint().log_in(&Person::default()).await.unwrap();
    let (results, warnings) = run(world.endpoint(), &["my_echo"]).await;
    assert_eq!((results, world.now().renewed), (vec!["{}".to_owned()], 1), "{warnings:?}");
    world.revoke();
    let (results, warnings) = run(world.endpoint(), &["my_echo"]).await;
    assert_eq!((results, world.now().renewed), (vec!["{}".to_owned()], 2), "{warnings:?}");
}

#[tokio::test]
async fn s18_12_a_confidential_client_renews_with_its_secret_after_a_restart() {
    for (method, expected) in [
        ("client_secret_basic", "basic client-1:secret-of-client"),
        ("client_secret_post", "post client-1:secret-of-client"),
    ] {
        let world = World::new(Fixture::new()).await;
        world.now().issuer = json!({"token_endpoint_auth_methods_supported": [method]});
        world.now().registration =
            json!({"client_secret": "secret-of-client", "token_endpoint_auth_method": method});
        world.endpoint().log_in(&Person::default()).await.unwrap();
        world.revoke();
        let (results, warnings) = run(world.endpoint(), &["my_echo"]).await;
        assert_eq!(results, ["{}"], "{warnings:?}");
        let now = world.now();
        assert_eq!(now.renewed, 1);
        assert_eq!(now.clients, [expected, expected]);
        assert_eq!(now.registered[0]["token_endpoint_auth_method"], method);
    }
}

#[tokio::test]
async fn s18_12_two_that_renew_at_once_ask_once() {
    let world = World::new(Fixture::new()).await;
    world.endpoint().log_in(&Person::default()).await.unwrap();
    world.revoke();
    *world.all.two_refused.lock().unwrap() = Some(Arc::new(Barrier::new(2)));
    let both = [world.endpoint(), world.endpoint()];
    let [one, other] = both.map(|endpoint| async move { run(endpoint, &["my_echo"]).await });
    let ((one, _), (other, _)) = tokio::join!(one, other);
    assert_eq!((one, other), (vec!["{}".to_owned()], vec!["{}".to_owned()]));
    assert_eq!(world.now().renewed, 1);
}

#[tokio::test]
async fn s18_12_tokens_that_cannot_be_renewed_are_asked_for_once() {
    let world = World::new(Fixture::new()).await;
    world.endpoint().log_in(&Person::default()).await.unwrap();
    world.end();
    for _ in 0..2 {
        let (_, warnings) = run(world.endpoint(), &[]).await;
        let expected = "it refuses the authorization that it was given: log in again";
        assert!(warnings.iter().any(|warning| warning.contains(expected)), "{warnings:?}");
    }
    // The code, and one refresh token.
    assert_eq!(world.now().clients.len(), 2);
    world.endpoint().log_in(&Person::default()).await.unwrap();
    let (results, _) = run(world.endpoint(), &["my_echo"]).await;
    assert_eq!(results, ["{}"]);
}

#[tokio::test]
async fn s18_12_a_run_goes_on_with_what_a_person_grants_meanwhile() {
    let world = World::new(Fixture::new()).await;
    let endpoint = world.endpoint();
    endpoint.log_in(&Person::default()).await.unwrap();
    world.end();
    world.all.gives.store(false, Ordering::SeqCst);
    let (_, warnings) = run(endpoint.clone(), &[]).await;
    assert!(warnings.iter().any(|warning| warning.contains("log in again")), "{warnings:?}");
    world.all.gives.store(true, Ordering::SeqCst);
    world.endpoint().log_in(&Person::default()).await.unwrap();
    let (results, _) = run(endpoint, &["my_echo"]).await;
    assert_eq!(results, ["{}"]);
}

#[tokio::test]
async fn s18_12_tokens_for_another_server_are_not_used() {
    let world = World::new(Fixture::new()).await;
    world.endpoint().log_in(&Person::default()).await.unwrap();
    let text = std::fs::read_to_string(world.file()).unwrap();
    std::fs::write(world.file(), text.replace("/mcp\",\"access\"", "/other\",\"access\"")).unwrap();
    let (_, warnings) = run(world.endpoint(), &[]).await;
    assert!(warnings.iter().any(|warning| warning.contains("log in first")), "{warnings:?}");
}

#[tokio::test]
async fn s18_12_a_renewal_goes_on_when_the_run_that_needs_it_is_dropped() {
    let world = World::new(Fixture::new()).await;
    world.endpoint().log_in(&Person::default()).await.unwrap();
    world.revoke();
    let gate = Gate::new();
    *world.all.hold.lock().unwrap() = Some(gate.clone());
    tokio::select! {
        biased;
        _ = run(world.endpoint(), &["my_echo"]) => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    gate.open();
    let (results, warnings) = run(world.endpoint(), &["my_echo"]).await;
    assert_eq!(results, ["{}"], "{warnings:?}");
    assert_eq!(world.now().renewed, 1);
}
