//! What a login asks for, and what runs do after it.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use super::Person;
use super::world::World;
use crate::fixture::Fixture;
use crate::http::run;

#[tokio::test]
async fn s18_12_after_a_login_an_agent_uses_the_server() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let world = World::new(fixture.clone()).await;
        world.endpoint().log_in(&Person::default()).await.unwrap();
        let (results, warnings) = run(world.endpoint(), &["my_echo"]).await;
        assert_eq!(results, ["{}"], "{warnings:?}");
        assert_eq!(fixture.called(), ["echo"]);
        let now = world.now();
        assert_eq!(now.registered.len(), 1);
        let registered = &now.registered[0];
        assert_eq!(registered["redirect_uris"], json!(["http://127.0.0.1:9/callback"]));
        assert_eq!(registered["token_endpoint_auth_method"], "none");
        let page = &now.authorized[0];
        assert_eq!(page["code_challenge_method"], "S256");
        assert_eq!((&*page["scope"], &*page["resource"]), ("basic", &*world.web.url));
        assert_eq!((now.redeemed, now.renewed), (1, 0));
    }
}

#[tokio::test]
async fn s18_12_tokens_are_kept_where_only_the_person_can_read_them() {
    let world = World::new(Fixture::new()).await;
    world.endpoint().log_in(&Person::default()).await.unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let (file, folder) = (world.file(), world.file().parent().unwrap().to_owned());
    assert_eq!((mode(&file), mode(&folder)), (0o600, 0o700));
    for beside in folder.read_dir().unwrap() {
        assert_eq!(mode(&beside.unwrap().path()), 0o600);
    }
    let set = |path: &Path, mode| std::fs::set_permissions(path, Permissions::from_mode(mode));
    set(&folder, 0o755).unwrap();
    let error = world.endpoint().log_in(&Person::default()).await.unwrap_err().to_string();
    assert!(error.contains("other users may open their folder"), "{error}");
    set(&folder, 0o700).unwrap();
    set(&file, 0o644).unwrap();
    let (_, warnings) = run(world.endpoint(), &[]).await;
    assert!(
        warnings.iter().any(|warning| warning.contains("other users may read it")),
        "{warnings:?}"
    );
    set(&file, 0o600).unwrap();
    world.endpoint().log_out().await.unwrap();
    assert!(!file.exists());
}

#[tokio::test]
async fn s18_12_without_tokens_a_run_says_what_to_do() {
    let world = World::new(Fixture::new()).await;
    let (_, warnings) = run(world.endpoint(), &[]).await;
    let expected = "it asks for authorization: log in first";
    assert!(warnings.iter().any(|warning| warning.contains(expected)), "{warnings:?}");
    assert!(world.now().authorized.is_empty());
}

#[tokio::test]
async fn s18_12_a_call_that_needs_more_says_so_and_the_next_login_asks_for_it() {
    let world = World::new(Fixture::new()).await;
    world.endpoint().log_in(&Person::default()).await.unwrap();
    world.now().needs = vec![("\"tools/call\"", "write")];
    let (results, _) = run(world.endpoint(), &["my_echo"]).await;
    let expected = "it asks for the scope `write`: log in again to grant that";
    assert!(results[0].contains(expected), "{results:?}");
    world.endpoint().log_in(&Person::default()).await.unwrap();
    let (results, _) = run(world.endpoint(), &["my_echo"]).await;
    assert_eq!(results, ["{}"]);
    let now = world.now();
    let scopes: Vec<_> = now.authorized.iter().map(|page| &*page["scope"]).collect();
    assert_eq!(scopes, ["basic", "basic write"]);
}

#[tokio::test]
async fn s18_12_a_login_asks_for_more_three_times_at_most() {
    let world = World::new(Fixture::new()).await;
    world.now().needs = vec![("", "write")];
    world.endpoint().log_in(&Person::default()).await.unwrap();
    assert_eq!(world.now().authorized[1]["scope"], "basic write");

    let world = World::new(Fixture::new()).await;
    world.now().needs_more = true;
    let error = world.endpoint().log_in(&Person::default()).await.unwrap_err().to_string();
    assert!(error.contains("more scopes each time"), "{error}");
    let now = world.now();
    assert_eq!((now.authorized.len(), now.registered.len()), (3, 1));
    assert_eq!(now.authorized[2]["scope"], "basic more-1 more-2");
}

#[tokio::test]
async fn s18_12_who_we_are_is_what_is_known_then_a_document_then_a_registration() {
    let document = "https://legwork.example/client.json";
    let world = World::new(Fixture::new()).await;
    world.now().issuer = json!({
        "client_id_metadata_document_supported": true,
        "scopes_supported": ["basic", "offline_access"],
    });
    let bare = legwork_mcp::Endpoint::new(&world.web.url).unwrap();
    let login = world.login().client_document(document).scope("mine");
    bare.clone().authorized(login.clone()).log_in(&Person::default()).await.unwrap();
    let login = login.confidential_client("known", "known secret");
    // What was granted to another client is asked for as well.
    bare.clone().authorized(login).log_in(&Person::default()).await.unwrap();
    let now = world.now();
    let pages: Vec<_> =
        now.authorized.iter().map(|page| (&*page["client_id"], &*page["scope"])).collect();
    let scopes = "mine basic offline_access";
    assert_eq!(pages, [(document, scopes), ("known", "mine basic offline_access")]);
    assert_eq!(now.clients, [format!("post {document}:"), "basic known:known+secret".to_owned()]);
    assert!(now.registered.is_empty());
}
