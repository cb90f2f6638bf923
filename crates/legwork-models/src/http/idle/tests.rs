use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::Idle;
use crate::http::body::Body;
use crate::http::connect::{Hop, Stream};
use crate::http::connection::Connection;
use crate::http::opening::Opened;

/// The two ends of a connection over which one exchange went.
async fn used(idle: &Arc<Idle>) -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    let mut connection =
        Box::new(Connection::over(Stream::Http(Hop::Http(TokioIo::new(stream)))).await.unwrap());
    server.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
    let request = Box::new(Request::new(Full::new(Bytes::new())));
    let answer = connection.send(request).await.unwrap();
    let body = Body::owning(answer, connection, idle);
    assert_eq!(body.into_body().collect().await.unwrap().to_bytes(), "ok");
    server
}

fn taken(idle: &Idle) -> Box<Connection> {
    match idle.take() {
        Some(Opened::Exclusive(connection)) => connection,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_unused_connection_is_closed_at_the_second_sweep() {
    let idle = Arc::<Idle>::default();
    let mut server = used(&idle).await;
    assert!(idle.sweep());
    assert!(!idle.sweep());
    assert!(idle.take().is_none());
    let mut sent = Vec::new();
    server.read_to_end(&mut sent).await.unwrap();
    assert!(sent.starts_with(b"GET / HTTP/1.1"));
}

#[tokio::test]
async fn a_connection_that_was_used_again_stays() {
    let idle = Arc::<Idle>::default();
    let _server = used(&idle).await;
    assert!(idle.sweep());
    idle.put(taken(&idle));
    assert!(idle.sweep());
    assert!(idle.take().is_some());
}

#[tokio::test]
async fn the_connection_used_last_is_the_next() {
    let idle = Arc::<Idle>::default();
    let (_older, newer) = (used(&idle).await, used(&idle).await);
    drop(newer);
    let mut taken = taken(&idle);
    taken.send(Box::new(Request::new(Full::new(Bytes::new())))).await.unwrap_err();
    assert!(super::tests::taken(&idle).is_idle());
}
