use std::net::TcpListener;
use std::thread;

use super::*;

/// A server for one request; gives its port.
fn answering(answer: &'static str) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1024];
        let _ = stream.read(&mut request).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
    });
    port
}

#[test]
fn a_servers_first_model_is_found() {
    let port = answering(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"data\":[{\"id\":\"m1\"},{\"id\":\"m2\"}]}",
    );
    assert_eq!(first_model(port).as_deref(), Some("m1"));
}

#[test]
fn another_servers_answer_is_nothing() {
    let refused = "HTTP/1.1 404 Not Found\r\n\r\nno";
    assert_eq!(first_model(answering(refused)), None);
    assert_eq!(first_model(answering("SSH-2.0-server\r\n")), None);
    assert_eq!(first_model(answering("HTTP/1.1 200 OK\r\n\r\n{\"data\":[]}")), None);
}

#[test]
fn no_server_is_nothing() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    assert_eq!(get(port, "/"), None);
}
