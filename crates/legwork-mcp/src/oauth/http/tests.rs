use super::*;

fn asked(url: &str) -> Request<Vec<u8>> {
    Request::get(url).body(Vec::new()).unwrap()
}

#[tokio::test]
async fn s18_12_a_discovered_address_that_is_not_public_is_refused() {
    let server = Url::parse("https://mcp.example/mcp").unwrap();
    let http = Http::new(&server, Place::Public).unwrap();
    for url in ["http://127.0.0.1:1/a", "https://10.0.0.1/a", "http://[::1]:1/a"] {
        let failed = http.ask(asked(url)).await.unwrap_err();
        assert!(matches!(failed, Failed::Address(_)), "{url}: {failed}");
    }
    let failed = http.ask(asked("http://localhost:1/a")).await.unwrap_err().to_string();
    assert!(failed.contains("must not send us to"), "{failed}");
}

#[test]
fn s18_12_names_are_resolved_to_addresses_that_may_be_reached() {
    let found = ["10.0.0.1:0", "93.184.216.34:0"].map(|address| address.parse().unwrap());
    let of = |place, found: &[SocketAddr]| {
        reachable(place, found.iter().copied()).map(Iterator::collect::<Vec<_>>).ok()
    };
    assert_eq!(of(Place::Public, &found), Some(vec![found[1]]));
    assert_eq!(of(Place::Public, &found[..1]), None);
    assert_eq!(of(Place::Private, &found), Some(found.to_vec()));
}
