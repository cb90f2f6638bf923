//! Answers that are silent, or that never end. What they take of the memory stays small.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::inference::Incomplete;
use legwork_models::Bounds;
use legwork_models::answer::Streaming;
use legwork_models::retry::Policy;
use legwork_port::Delta;
use legwork_port::model::Kind;
use tokio::sync::Semaphore;

use super::{Asked, MUCH, SOME, stalled, wires};
use crate::clock::Turned;
use crate::server::{Act, END, Server, chunk_of};

#[tokio::test]
async fn s13_10_silence_before_and_inside_an_answer_is_cut() {
    for asked in wires() {
        let (server, clock) = (Server::start([stalled(Vec::new())]).await, Turned::new());
        let model = asked.at(&server, &clock).retry(Policy::never()).build().unwrap();
        let answered = asked.ask(&model, None);
        let (came, ()) = tokio::join!(answered, clock.pass(Duration::from_secs(300)));
        assert_eq!(came.unwrap_err().kind, Kind::Timeout, "{asked}");

        let begun = stalled(asked.open(&asked.said.begun()));
        let (server, clock) = (Server::start([begun]).await, Turned::new());
        let model = asked.at(&server, &clock).retry(Policy::never()).build().unwrap();
        let mut show = |_: Delta<'_>| {
            let clock = clock.clone();
            tokio::spawn(async move { clock.pass(Duration::from_secs(120)).await });
            ControlFlow::Continue(())
        };
        let came = asked.ask(&model, Some(&mut show)).await.unwrap();
        let said = (came.text(), came.incomplete);
        assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{asked}");
    }
}

#[tokio::test]
async fn a_first_byte_that_comes_late_but_in_time_is_waited_for() {
    for asked in wires() {
        let go = Arc::new(Semaphore::new(0));
        let whole = [asked.open(&asked.said.whole()), END.into()].concat();
        let late = Act::Pieces(vec![whole], Arc::clone(&go));
        let (server, clock) = (Server::start([late]).await, Turned::new());
        let model = asked.at(&server, &clock).retry(Policy::never()).build().unwrap();
        let mut show = super::ignore;
        let passing = async {
            clock.pass(Duration::from_secs(299)).await;
            go.add_permits(1);
        };
        let (came, ()) = tokio::join!(asked.ask(&model, Some(&mut show)), passing);
        let came = came.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{asked}");
    }
}

/// Texts without end, and one event without end.
fn floods(asked: &Asked) -> [Act; 2] {
    let begun = asked.open(&asked.said.begun());
    let event = [begun.clone(), chunk_of(&asked.said.endless)].concat();
    let text = Act::flood(begun, chunk_of(&asked.said.text[1]));
    [text, Act::flood(event, chunk_of(&[b'x'; 1_000]))]
}

#[tokio::test]
async fn s13_10_an_endless_answer_and_an_endless_line_meet_their_bounds() {
    let bounds = Bounds { answer_bytes: 64 << 10, event_bytes: 64 << 10, ..Bounds::default() };
    for asked in wires() {
        let [text, event] = floods(&asked);
        let came = asked.once_within(SOME, bounds, Streaming::Yes, text).await.unwrap();
        assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{asked}");
        assert!(came.text().len() <= 64 << 10, "{asked}");

        let came = asked.once_within(SOME, bounds, Streaming::Yes, event).await.unwrap();
        assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{asked}");
        assert_eq!(came.text(), "Hé", "{asked}");
    }
}

#[tokio::test]
async fn s13_10_what_an_endless_answer_takes_of_the_memory_is_bounded() {
    // An event may have the usual 8 MiB.
    let bounds = Bounds { events: 20_000, ..Bounds::default() };
    for asked in wires() {
        for flood in floods(&asked) {
            let came = asked.once_within(MUCH, bounds, Streaming::Yes, flood).await.unwrap();
            assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{asked}");
        }
    }
}
