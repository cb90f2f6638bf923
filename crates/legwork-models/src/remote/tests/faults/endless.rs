//! Answers that never end. What they take of the memory stays small.

use std::sync::Arc;

use bytes::Bytes;
use legwork_core::Response;
use legwork_core::inference::Incomplete;
use legwork_port::Delta;
use legwork_port::model::Kind;
use tokio::sync::Semaphore;

use super::super::{Wire, all_wires};
use super::{Act, BOTH, Bounds, End, JSON, MUCH, OFFERED, Policy, SOME, Server, Turned, sent};
use crate::answer::Streaming;

/// More of something, again and again.
fn endless(again: impl Into<Bytes>) -> End {
    End::Endless(again.into())
}

fn check(wire: &Wire, came: &Response, bound: &str) {
    assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{wire}");
    let passed = came.bound.as_deref().unwrap();
    assert!(passed.contains(bound), "{wire}: {passed}");
}

#[tokio::test]
async fn s13_10_an_endless_answer_takes_what_its_bounds_allow() {
    let small = Bounds { answer_bytes: 64 << 10, event_bytes: 64 << 10, ..Bounds::default() };
    let usual = Bounds { events: 20_000, ..Bounds::default() };
    for (most, bounds) in [(SOME, small), (MUCH, usual)] {
        for wire in all_wires() {
            let text = wire.frames([wire.said.begun()], endless(wire.said.text[1].repeat(100)));
            let came = wire.once_within(most, bounds, Streaming::Yes, text).await.unwrap();
            check(&wire, &came, if most == SOME { "`answer_bytes`" } else { "`events`" });
        }
    }
}

#[tokio::test]
async fn s13_10_a_line_that_never_ends_is_cut() {
    let small = Bounds { event_bytes: 64 << 10, ..Bounds::default() };
    for (most, bounds) in [(SOME, small), (MUCH, Bounds::default())] {
        for wire in all_wires() {
            let begun = [wire.said.begun(), wire.said.endless.clone()];
            let line = wire.frames(begun, endless(vec![b'x'; 16 << 10]));
            let came = wire.once_within(most, bounds, Streaming::Yes, line).await.unwrap();
            check(&wire, &came, "`event_bytes`");
            assert_eq!(came.text(), "Hé", "{wire}");
        }
    }
}

#[tokio::test]
async fn s13_10_a_body_that_never_ends_is_cut() {
    for wire in all_wires() {
        for streaming in BOTH {
            let body = sent(200, JSON, [wire.begun_body()], endless(vec![b'x'; 16 << 10]));
            let came = wire.once_within(MUCH, Bounds::default(), streaming, body).await.unwrap();
            check(&wire, &came, "`answer_bytes`");
        }
        let bounds = Bounds { received_bytes: 4 << 20, ..Bounds::default() };
        let space = sent(200, JSON, [], endless(vec![b' '; 16 << 10]));
        let came = wire.once_within(SOME, bounds, Streaming::No, space).await.unwrap();
        check(&wire, &came, "`received_bytes`");
    }
}

#[tokio::test]
async fn s13_10_an_error_that_never_ends_is_read_to_a_bound() {
    for wire in all_wires() {
        for streaming in BOTH {
            let begun = b"{\"error\": {\"message\": \"".to_vec();
            let error = sent(500, JSON, [begun], endless(vec![b'x'; 16 << 10]));
            let came = wire.once_within(SOME, Bounds::default(), streaming, error).await;
            let error = came.unwrap_err();
            assert_eq!((error.kind, error.status), (Kind::Server, Some(500)), "{wire}: {error}");
            assert!(error.message.len() < 1_000, "{wire}: {error}");
        }
    }
}

#[tokio::test]
async fn s13_10_a_server_sends_no_more_than_is_read() {
    for wire in all_wires() {
        let again = Bytes::from(wire.said.text[1].repeat(100));
        let stream = wire.frames([wire.said.begun()], End::Full(again));
        let server = Server::start(OFFERED, [Act::Send(stream)]).await;
        let model = wire.at(&server, |model| model.clock(Turned::new()).retry(Policy::never()));
        let read = Arc::new(Semaphore::new(0));
        let mut show = |_: Delta<'_>| {
            read.add_permits(1);
            std::ops::ControlFlow::Continue(())
        };
        // From the first text on, nobody reads; only the connection goes on.
        let memory = super::Peak::begin();
        let took = {
            let mut asking = Box::pin(wire.ask(SOME, &model, Some(&mut show)));
            tokio::select! {
                biased;
                permit = read.acquire() => drop(permit),
                came = &mut asking => panic!("{wire}: {came:?}"),
            }
            server.full().await
        };
        memory.check(SOME, &wire);
        assert!(took <= 4 << 20, "{wire} took {took} bytes");
    }
}

#[cfg(feature = "compression")]
#[tokio::test]
async fn s13_10_a_few_bytes_that_become_1_gb_meet_their_bounds() {
    use super::super::gzip::gzipped;

    let mib = gzipped(&[vec![b'x'; 1 << 20]]).concat();
    // Members of gzip may follow each other.
    let bomb = |status, content_type: &str, begun: &[u8]| {
        let body = [gzipped(&[begun]).concat(), mib.repeat(1 << 10)].concat();
        assert!(body.len() < 2 << 20, "{} bytes", body.len());
        let mut bomb = sent(status, content_type, [body], End::Whole);
        bomb.headers.push(("content-encoding", "gzip".to_owned()));
        bomb
    };
    for wire in all_wires() {
        let line = [wire.said.begun(), wire.said.endless.clone()].concat();
        let line = bomb(200, wire.said.stream, &line);
        let came = wire.once_within(MUCH, Bounds::default(), Streaming::Yes, line).await.unwrap();
        check(&wire, &came, "`event_bytes`");

        let body = bomb(200, JSON, &wire.begun_body());
        let came = wire.once_within(MUCH, Bounds::default(), Streaming::No, body).await.unwrap();
        check(&wire, &came, "`answer_bytes`");

        let error = bomb(500, JSON, b"{\"error\": {\"message\": \"");
        let error = wire.once_within(SOME, Bounds::default(), Streaming::No, error).await;
        let error = error.unwrap_err();
        assert_eq!((error.kind, error.status), (Kind::Server, Some(500)), "{wire}: {error}");
    }
}
