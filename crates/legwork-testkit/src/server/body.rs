//! Bodies sent in pieces, each in a write of its own.

use std::convert::identity;
use std::io;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt as _, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Frame;

use crate::gate::Gate;

/// What a body is sent from.
pub(super) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// One thing that happens while a body is sent.
#[derive(Debug)]
pub(super) enum Piece {
    /// These bytes are sent.
    Bytes(Bytes),
    /// A gate has to be opened first.
    Wait(Gate),
    /// The connection breaks.
    Break,
}

/// A body of pieces.
pub(super) fn body(pieces: Vec<Piece>) -> Body {
    let frames = stream::unfold(pieces.into_iter(), |mut pieces| async move {
        loop {
            let piece = pieces.next()?;
            // Yielding lets what came before be written out, so that it is a piece of its
            // own to the client and is not lost when the connection breaks.
            tokio::task::yield_now().await;
            match piece {
                Piece::Bytes(bytes) => return Some((Ok(Frame::data(bytes)), pieces)),
                Piece::Wait(gate) => gate.pass().await,
                Piece::Break => {
                    let broken = io::Error::new(io::ErrorKind::ConnectionAborted, "scripted");
                    return Some((Err(broken), pieces));
                }
            }
        }
    });
    StreamBody::new(frames).map_err(identity).boxed_unsync()
}
