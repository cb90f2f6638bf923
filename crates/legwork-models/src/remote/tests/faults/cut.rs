//! Answers that break off, or that fall silent.

use std::sync::Arc;
use std::time::Duration;

use h2::Reason;
use legwork_core::inference::Incomplete;
use legwork_port::model::Kind;
use tokio::sync::Semaphore;

use super::super::all_wires;
use super::{
    Act, BOTH, End, JSON, LITTLE, OFFERED, Policy, Sent, Server, Turned, deltas, ignore, said, sent,
};
use crate::answer::Streaming;
use crate::remote::{Piece, Traffic};

/// How a server ends an answer before its end.
const CUTS: [End; 6] = [
    End::Reset(Reason::INTERNAL_ERROR),
    End::Reset(Reason::NO_ERROR),
    End::GoAway(Reason::NO_ERROR),
    End::GoAway(Reason::INTERNAL_ERROR),
    End::GoAway(Reason::ENHANCE_YOUR_CALM),
    End::Closed,
];

#[tokio::test]
async fn s11_3_a_reset_after_any_byte_is_a_failure_or_incomplete() {
    for wire in all_wires() {
        let whole = wire.said.whole();
        let end = whole.len() - wire.said.closing.len();
        let reset = |at: usize| {
            Act::Send(wire.frames([whole[..at].to_vec()], End::Reset(Reason::INTERNAL_ERROR)))
        };
        let server = Server::start(OFFERED, (0..=whole.len()).map(reset)).await;
        let model = wire.at(&server, |model| model.clock(Turned::new()).retry(Policy::never()));
        for at in 0..=whole.len() {
            match wire.ask(LITTLE, &model, Some(&mut ignore)).await {
                Ok(came) if came.incomplete.is_none() => {
                    assert!(at > end, "{wire} was whole at {at} of {}", whole.len());
                    assert_eq!(came.text(), "Héllo", "{wire}");
                }
                Ok(came) => {
                    let said = came.text();
                    assert!("Héllo".starts_with(&said), "{wire}: {said:?} at {at}");
                }
                Err(error) => {
                    assert!(error.is_retryable(), "{wire} at {at}: {error}");
                    assert_eq!(error.charged_attempts, 1, "{wire} at {at}");
                }
            }
        }
        assert_eq!(server.connections(), 1, "{wire}");
    }
}

#[tokio::test]
async fn s11_5_a_body_that_is_reset_after_any_byte_is_a_failure() {
    for wire in all_wires() {
        let whole = wire.said.body.to_string().into_bytes();
        let reset = |at: usize| {
            Act::Send(sent(200, JSON, [whole[..at].to_vec()], End::Reset(Reason::CANCEL)))
        };
        let server = Server::start(OFFERED, (0..=whole.len()).map(reset)).await;
        let model = wire.at(&server, |model| model.clock(Turned::new()).retry(Policy::never()));
        for at in 0..=whole.len() {
            let error = wire.ask(LITTLE, &model, None).await.unwrap_err();
            assert_eq!(error.kind, Kind::Unreachable, "{wire} at {at}: {error}");
            assert_eq!(error.charged_attempts, 1, "{wire} at {at}: {error}");
        }
    }
}

#[tokio::test]
async fn s11_3_a_stream_that_is_cut_is_kept_as_far_as_it_came_and_is_repeated() {
    for wire in all_wires() {
        for end in CUTS {
            let cut = wire.frames([wire.said.begun()], end);
            let came = wire.once(Streaming::Yes, cut.clone()).await.unwrap();
            assert_eq!(said(came), ("Hé".to_owned(), Some(Incomplete::Cut)), "{wire}");

            let acts = [cut, wire.answer(Streaming::Yes)].map(Act::Send);
            let server = Server::start(OFFERED, acts).await;
            let model = wire.at(&server, |model| model.clock(Turned::new()));
            let came = wire.ask(LITTLE, &model, Some(&mut ignore)).await.unwrap();
            assert_eq!(came.charged_attempts, 1, "{wire}");
            assert_eq!(said(came), ("Héllo".to_owned(), None), "{wire}");
        }
    }
}

#[tokio::test]
async fn s11_5_a_body_that_is_cut_is_repeated() {
    for wire in all_wires() {
        for end in CUTS {
            let cut = sent(200, JSON, [wire.begun_body()], end);
            let acts = [cut, wire.answer(Streaming::No)].map(Act::Send);
            let server = Server::start(OFFERED, acts).await;
            let model = wire.at(&server, |model| model.clock(Turned::new()));
            let came = wire.ask(LITTLE, &model, None).await.unwrap();
            assert_eq!(came.charged_attempts, 1, "{wire}");
            assert_eq!(said(came), ("Héllo".to_owned(), None), "{wire}");
        }
    }
}

#[tokio::test]
async fn s11_3_what_is_wrong_inside_a_stream_ends_it_and_what_came_is_kept() {
    for wire in all_wires() {
        let begun = wire.said.begun();
        let garbage = [&*begun, &wire.said.garbage, &wire.said.rest()].concat();
        let came = wire.once(Streaming::Yes, wire.frames([garbage], End::Whole)).await.unwrap();
        assert_eq!(said(came), ("Hé".to_owned(), Some(Incomplete::Cut)), "{wire}");

        let error = [&*begun, &wire.said.error].concat();
        let came = wire.once(Streaming::Yes, wire.frames([error], End::Whole)).await.unwrap();
        assert_eq!(came.raw["error"]["message"], "busy", "{wire}");
        assert_eq!(said(came), ("Hé".to_owned(), Some(Incomplete::Cut)), "{wire}");

        let endless = [&*begun, &wire.said.text[1]].concat();
        let came = wire.once(Streaming::Yes, wire.frames([endless], End::Whole)).await.unwrap();
        assert_eq!(said(came), ("Héllo".to_owned(), Some(Incomplete::NoEnd)), "{wire}");
    }
}

#[tokio::test]
async fn a_first_byte_that_comes_late_but_in_time_is_waited_for() {
    for wire in all_wires() {
        let go = Arc::new(Semaphore::new(0));
        for streaming in BOTH {
            let late = Sent { go: Some(Arc::clone(&go)), ..wire.answer(streaming) };
            let server = Server::start(OFFERED, [Act::Send(late)]).await;
            let clock = Turned::new();
            let model = wire.at(&server, |model| model.clock(clock.clone()).retry(Policy::never()));
            let passing = async {
                server.asked(1).await;
                clock.pass(Duration::from_secs(299)).await;
                go.add_permits(1);
            };
            let mut show = ignore;
            let asking = wire.ask(LITTLE, &model, deltas(streaming, &mut show));
            let (came, ()) = tokio::join!(asking, passing);
            assert_eq!(said(came.unwrap()), ("Héllo".to_owned(), None), "{wire}");
        }
    }
}

#[tokio::test]
async fn s13_10_silence_before_an_answer_is_cut() {
    for wire in all_wires() {
        let late = Sent { go: Some(Arc::new(Semaphore::new(0))), ..wire.answer(Streaming::Yes) };
        let server = Server::start(OFFERED, [Act::Send(late)]).await;
        let clock = Turned::new();
        let model = wire.at(&server, |model| model.clock(clock.clone()).retry(Policy::never()));
        let passing = async {
            server.asked(1).await;
            clock.pass(Duration::from_secs(300)).await;
        };
        let mut show = ignore;
        let (came, ()) = tokio::join!(wire.ask(LITTLE, &model, Some(&mut show)), passing);
        assert_eq!(came.unwrap_err().kind, Kind::Timeout, "{wire}");
    }
}

#[tokio::test]
async fn s13_10_silence_inside_an_answer_is_cut() {
    for wire in all_wires() {
        let stream = wire.frames([wire.said.begun()], End::Silent);
        let body = sent(200, JSON, [wire.begun_body()], End::Silent);
        for (streaming, silent) in BOTH.into_iter().zip([stream, body]) {
            let server = Server::start(OFFERED, [Act::Send(silent)]).await;
            let clock = Turned::new();
            let idle = Arc::clone(&clock);
            // The time passes once there is some of the answer.
            let passing = move |traffic: &Traffic<'_>| {
                if let Piece::Bytes(_) = traffic.piece {
                    let clock = Arc::clone(&idle);
                    tokio::spawn(async move { clock.pass(Duration::from_secs(120)).await });
                }
            };
            let model = wire
                .at(&server, |model| model.clock(clock).traffic(passing).retry(Policy::never()));
            match wire.ask(LITTLE, &model, deltas(streaming, &mut ignore)).await {
                Ok(came) => {
                    assert_eq!(said(came), ("Hé".to_owned(), Some(Incomplete::Cut)), "{wire}");
                }
                Err(error) => {
                    assert_eq!((error.kind, streaming), (Kind::Timeout, Streaming::No), "{wire}");
                    assert!(error.message.contains("within 120s"), "{wire}: {error}");
                }
            }
        }
    }
}
