use super::*;

#[test]
fn only_the_pages_of_the_server_itself_are_of_its_origin() {
    assert_eq!(
        own_origins(8080),
        ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"]
    );
}

#[tokio::test]
async fn a_server_that_other_machines_reach_needs_a_token() {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let handler = || -> Handler { unreachable!("no client is answered") };
    let stop = Cancellation::new();
    let refused = serve(handler, listener, Access::Local, &stop).await.unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
}
