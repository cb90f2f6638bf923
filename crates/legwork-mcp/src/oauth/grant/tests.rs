use super::*;

pub(in crate::oauth) fn access() -> Access {
    Access {
        issuer: "https://as.example".to_owned(),
        token_endpoint: "https://as.example/token".to_owned(),
        resource: "https://a.example/mcp".to_owned(),
        place: Place::Public,
        client: Client {
            id: "us".to_owned(),
            secret: Some("client-secret".to_owned()),
            redirect_uri: "http://127.0.0.1:1/callback".to_owned(),
            method: Method::Basic,
        },
        scopes: vec!["read".to_owned()],
        access_token: "access-secret".to_owned(),
        refresh_token: Some("refresh-secret".to_owned()),
        received_at: 1_000,
        expires_in: Some(3_600),
    }
}

#[test]
fn s18_12_a_grant_shows_no_secret_and_keeps_all() {
    let server = Url::parse("https://a.example/mcp").unwrap();
    let mut grant = Grant::none(&server);
    grant.access = Some(access());
    let shown = format!("{grant:?}");
    assert!(shown.contains("https://as.example") && !shown.contains("secret"), "{shown}");
    let kept = serde_json::to_string(&grant).unwrap();
    assert_eq!(serde_json::from_str::<Grant>(&kept).unwrap(), grant);
}

#[test]
fn s18_12_a_grant_for_another_server_is_not_used() {
    let server = |url: &str| Url::parse(url).unwrap();
    let grant = Grant::none(&server("https://a.example/mcp"));
    assert!(grant.clone().at(&server("https://a.example/mcp")).is_some());
    for other in ["https://a.example/other", "http://a.example/mcp", "https://b.example/mcp"] {
        assert!(grant.clone().at(&server(other)).is_none(), "{other}");
    }
}

#[test]
fn s18_12_a_token_is_over_a_little_before_its_end() {
    let over =
        |expires_in, now| Access { expires_in, ..access() }.is_over(Duration::from_secs(now));
    assert!(!over(Some(3_600), 1_000) && !over(Some(3_600), 4_569));
    assert!(over(Some(3_600), 4_571) && over(Some(3_600), 9_999));
    // Short ones are not renewed for each request, and none is used after its end.
    assert!(!over(Some(10), 1_004) && over(Some(10), 1_006) && over(Some(0), 1_000));
    assert!(!over(None, u64::MAX));
}
