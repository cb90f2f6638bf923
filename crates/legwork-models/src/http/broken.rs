//! Why an exchange came to no end.

use std::error::Error;
use std::io;

use super::connect::{BoxError, TooSlow};
use super::proxy;

/// Why an exchange came to no end.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The client could not be made.
    NotMade(io::Error),
    /// No connection could be opened.
    NotConnected(BoxError),
    /// No answer came.
    NotAnswered(hyper::Error),
    /// The server did not begin to work on the request.
    NotTaken(hyper::Error),
    /// The answer broke off.
    Lost(hyper::Error),
    /// The server ended the stream of the answer before its end.
    Reset,
    /// The answer is compressed in a way that is not read.
    Encoding(String),
    /// The answer cannot be decompressed.
    #[cfg_attr(not(feature = "compression"), expect(dead_code, reason = "nothing is decompressed"))]
    Undecoded {
        /// The content coding.
        coding: &'static str,
        error: io::Error,
    },
}

impl Broken {
    /// Whether no connection stood, so that nothing can have been asked.
    pub(crate) fn is_connect(&self) -> bool {
        matches!(self, Self::NotConnected(_))
    }

    /// Whether the server did not begin to work on the request, and says so.
    pub(crate) fn is_not_taken(&self) -> bool {
        matches!(self, Self::NotTaken(_))
    }

    /// Whether nobody listens at the address.
    pub(crate) fn is_refused(&self) -> bool {
        let refused = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        self.is_connect() && self.causes().any(|cause| cause.downcast_ref().is_some_and(refused))
    }

    /// Whether no connection stood in time.
    pub(crate) fn is_timeout(&self) -> bool {
        let timed_out = |error: &io::Error| error.kind() == io::ErrorKind::TimedOut;
        self.causes()
            .any(|cause| cause.is::<TooSlow>() || cause.downcast_ref().is_some_and(timed_out))
    }

    /// Whether the server, or the proxy, is not whom the system trusts, or speaks no TLS that
    /// we do; trying again changes nothing.
    pub(crate) fn is_untrusted(&self) -> bool {
        self.causes().any(is_refused_by_tls)
    }

    /// Whether the head of the answer is not HTTP, or is too long, or its body is not compressed
    /// as its head says.
    pub(crate) fn is_malformed(&self) -> bool {
        match self {
            Self::NotAnswered(error) => error.is_parse(),
            Self::Undecoded { error, .. } => error.kind() != io::ErrorKind::UnexpectedEof,
            Self::Encoding(_) => true,
            _ => false,
        }
    }

    /// What the proxy has to do with it.
    pub(crate) fn proxy(&self) -> Option<&proxy::Error> {
        self.causes().find_map(|cause| cause.downcast_ref())
    }

    /// What happened, with its causes.
    pub(crate) fn in_words(&self) -> String {
        let (mut text, first) = match self {
            Self::NotMade(error) => (error.to_string(), 1),
            Self::NotConnected(_) => ("could not connect".to_owned(), 0),
            Self::NotAnswered(_) => ("the connection was lost".to_owned(), 0),
            Self::NotTaken(_) => ("the server did not take the request".to_owned(), 0),
            // Its own words are about the body, which says nothing more.
            Self::Lost(_) => ("the connection was lost".to_owned(), 1),
            Self::Reset => ("the server ended the answer before its end".to_owned(), 0),
            Self::Encoding(coding) => {
                let known = super::encoding::NAMES.join(", ");
                let known = if known.is_empty() { "no compression" } else { &known };
                (format!("the answer is encoded as {coding:?}, and {known} is read"), 0)
            }
            Self::Undecoded { coding, .. } => {
                (format!("the answer cannot be decompressed ({coding})"), 0)
            }
        };
        for cause in self.causes().skip(first) {
            let said = cause.to_string();
            if !text.ends_with(&said) {
                text.push_str(": ");
                text.push_str(&said);
            }
        }
        text
    }

    fn causes(&self) -> impl Iterator<Item = &(dyn Error + 'static)> {
        let first: Option<&(dyn Error + 'static)> = match self {
            Self::NotMade(error) | Self::Undecoded { error, .. } => Some(error),
            Self::NotConnected(error) => Some(&**error),
            Self::NotAnswered(error) | Self::NotTaken(error) | Self::Lost(error) => Some(error),
            Self::Reset | Self::Encoding(_) => None,
        };
        std::iter::successors(first, |error| (*error).source())
    }
}

/// Whether TLS refused the server; such an error is wrapped in those of reading.
fn is_refused_by_tls(error: &(dyn Error + 'static)) -> bool {
    use rustls::Error::{InvalidCertificate, InvalidMessage, PeerIncompatible};
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    match wrapped {
        Some(inner) => is_refused_by_tls(inner),
        None => matches!(
            error.downcast_ref(),
            Some(InvalidCertificate(_) | InvalidMessage(_) | PeerIncompatible(_))
        ),
    }
}
