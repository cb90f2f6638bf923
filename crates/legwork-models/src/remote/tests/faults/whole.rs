//! Whole answers in frames however small, and those that are not quite as their API says.

use legwork_core::FinishReason;
use serde_json::json;

use super::super::all_wires;
use super::{BOTH, Bounds, End, JSON, SOME, said, sent};
use crate::answer::Streaming;

/// Each byte in a frame of its own.
fn bytes(all: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    all.iter().map(|byte| vec![*byte])
}

#[tokio::test]
async fn an_answer_in_frames_of_one_byte_is_read_and_its_usage_may_be_missing() {
    for wire in all_wires() {
        let stream = wire.frames(bytes(&wire.said.whole()), End::Whole);
        let body = sent(200, JSON, bytes(wire.said.body.to_string().as_bytes()), End::Whole);
        for (streaming, sent) in BOTH.into_iter().zip([stream, body]) {
            // Each frame that waits takes some hundred bytes.
            let came = wire.once_within(SOME, Bounds::default(), streaming, sent).await;
            let came = came.unwrap();
            assert_eq!((came.usage, &came.finish), (None, &FinishReason::Stop), "{wire}");
            assert_eq!(said(came), ("Héllo".to_owned(), None), "{wire}");
        }
    }
}

#[tokio::test]
async fn half_a_character_at_the_end_of_a_frame_is_joined() {
    for wire in all_wires() {
        let half = |whole: Vec<u8>| {
            let at = whole.windows(2).position(|two| two == "é".as_bytes()).unwrap() + 1;
            let (first, second) = whole.split_at(at);
            [first.to_vec(), second.to_vec()]
        };
        let stream = wire.frames(half(wire.said.whole()), End::Whole);
        let body = sent(200, JSON, half(wire.said.body.to_string().into()), End::Whole);
        for (streaming, sent) in BOTH.into_iter().zip([stream, body]) {
            let came = wire.once(streaming, sent).await.unwrap();
            assert_eq!(said(came), ("Héllo".to_owned(), None), "{wire}");
        }
    }
}

#[tokio::test]
async fn a_call_without_id_and_name_and_with_an_object_as_arguments_is_read() {
    for wire in all_wires() {
        let stream = wire.frames([wire.said.odd_call_in_stream.clone()], End::Whole);
        let body = sent(200, JSON, [wire.said.odd_call.to_string().into()], End::Whole);
        for (streaming, sent) in BOTH.into_iter().zip([stream, body]) {
            let came = wire.once(streaming, sent).await.unwrap();
            let calls: Vec<_> = came.message.tool_calls().collect();
            let [call] = calls.as_slice() else { panic!("{wire}: {came:?}") };
            assert_eq!((&*call.name, call.parse().unwrap()), ("", json!({"a": 1})), "{wire}");
            assert!(!call.id.as_str().is_empty() && came.incomplete.is_none(), "{wire}");
        }
    }
}

#[cfg(feature = "compression")]
#[tokio::test]
async fn a_compressed_answer_is_read_and_one_that_is_cut_is_not() {
    use legwork_core::inference::Incomplete;
    use legwork_port::model::Kind;

    use super::super::gzip::gzipped;
    use super::Sent;

    let gzip = |sent: Sent| Sent {
        headers: [sent.headers, vec![("content-encoding", "gzip".to_owned())]].concat(),
        ..sent
    };
    for wire in all_wires() {
        let stream = gzipped(&[wire.said.begun(), wire.said.rest()]);
        let cut = gzip(wire.frames([stream[0].clone()], End::Whole));
        let came = wire.once(Streaming::Yes, gzip(wire.frames(stream, End::Whole))).await.unwrap();
        assert_eq!(said(came), ("Héllo".to_owned(), None), "{wire}");
        let came = wire.once(Streaming::Yes, cut).await.unwrap();
        assert_eq!(said(came), ("Hé".to_owned(), Some(Incomplete::Cut)), "{wire}");

        let body = gzipped(&[wire.said.body.to_string()]).concat();
        let cut = gzip(sent(200, JSON, [body[..body.len() - 1].to_vec()], End::Whole));
        let came = wire.once(Streaming::No, gzip(sent(200, JSON, [body], End::Whole))).await;
        assert_eq!(said(came.unwrap()), ("Héllo".to_owned(), None), "{wire}");
        let error = wire.once(Streaming::No, cut).await.unwrap_err();
        assert_eq!((error.kind, error.charged_attempts), (Kind::Unreachable, 1), "{wire}");
    }
}
