//! One attempt: a request sent, its answer read within its time limits.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response as Answer};
use http_body_util::BodyExt as _;
use legwork_port::Clock;
use legwork_port::model::Error;

use super::access::Access;
use super::answered::{Answered, request_id};
use super::failure::Tried;
use super::idempotency::Key;
use super::presence::Presence;
use super::traffic::Tapped;
use crate::credentials::Credential;
use crate::http::{Body, Client, Late, Limits, Timeouts, Watch, with_body};

/// How long the end of a body may follow the end of its stream.
const LAST_BREATH: Duration = Duration::from_millis(100);

/// What all attempts of a model share.
#[derive(Clone, Copy)]
pub(super) struct Exchange<'a> {
    pub(super) client: &'a Client,
    pub(super) access: Option<&'a Access>,
    /// The key of the request, if it has one.
    pub(super) key: Option<&'a Key>,
    pub(super) presence: &'a Presence,
    pub(super) template: &'a Request<()>,
    pub(super) timeouts: &'a Timeouts,
    pub(super) clock: &'a dyn Clock,
    pub(super) tried: Tried<'a>,
    /// The observed traffic of this attempt, if there is an observer.
    pub(super) tapped: Option<Tapped<'a>>,
}

/// What reads the body of an answer.
pub(super) trait Reading {
    /// Reads more bytes.
    fn push(&mut self, bytes: &[u8]);

    /// Whether what follows is of no use.
    fn is_over(&self) -> bool;

    /// Whether only the end of the body may follow.
    fn is_done(&self) -> bool;

    /// Whether content arrived since the last call.
    fn take_moved(&mut self) -> bool;

    /// Ends it because it took too long.
    fn took_too_long(&mut self, most: Duration);
}

/// Where AWS names an error, whose body only describes it.
pub(super) const ERROR_NAME: &str = "x-amzn-errortype";

/// The name of an error in the head of an answer; empty if it has none.
fn error_name<B>(answer: &Answer<B>) -> &str {
    answer.headers().get(ERROR_NAME).and_then(|name| name.to_str().ok()).unwrap_or_default()
}

impl<'a> Exchange<'a> {
    /// A watch over an exchange.
    pub(super) fn watch(&self) -> Watch<'a> {
        Watch::new(self.clock, Limits::of_wait(self.timeouts.first_byte))
    }

    /// Sends a body; the answer's head comes back.
    ///
    /// The watch goes on over the wait for the answer's body. The body is sent again if the server refuses its credential and there may be another one.
    pub(super) async fn send(
        &self,
        body: Bytes,
        watch: &mut Watch<'a>,
    ) -> Result<Answer<Body>, Error> {
        let (mut used, mut is_renewed) = (None, false);
        loop {
            let sent = self.send_once(body.clone(), &mut used, watch).await;
            match (self.tapped, &sent) {
                (Some(tapped), Ok(answer)) => {
                    tapped.response(answer.status().as_u16(), answer.headers());
                }
                (Some(tapped), Err(error)) => tapped.end(Some(&error.message)),
                (None, _) => {}
            }
            if is_renewed || !self.renews(&sent, used.as_ref()) {
                return sent;
            }
            if let Some(tapped) = self.tapped {
                tapped.end(Some("the credential was refused; it is renewed"));
            }
            is_renewed = true;
            *watch = self.watch();
        }
    }

    /// Whether the server refused the credential, and there may be another one.
    fn renews(&self, sent: &Result<Answer<Body>, Error>, used: Option<&Credential>) -> bool {
        match (self.access, used, sent) {
            (Some(access), Some(used), Ok(answer)) => {
                access.renews(used, answer.status().as_u16(), error_name(answer))
            }
            _ => false,
        }
    }

    async fn send_once(
        &self,
        body: Bytes,
        used: &mut Option<Credential>,
        watch: &mut Watch<'a>,
    ) -> Result<Answer<Body>, Error> {
        let mut request = with_body(self.template, body.clone());
        if let Some((name, value)) = self.key {
            request.headers_mut().insert(name, value.clone());
        }
        if let Some(access) = self.access {
            // In a box, for most requests have their key already.
            let mut opened = Box::pin(access.open(&mut request, &body, self.clock));
            let opened = watch.next(opened.as_mut()).await;
            match opened {
                Ok(Ok(credential)) => *used = Some(credential),
                Ok(Err(problem)) => return Err(self.tried.not_allowed(&problem)),
                Err(_) => return Err(self.tried.no_credential_in(self.timeouts.first_byte)),
            }
        }
        if let Some(tapped) = self.tapped {
            tapped.request(&self.client.origin().to_string(), &request, &body);
        }
        let sent = watch.next(pin!(self.client.send(self.clock, request))).await;
        let answer = match sent {
            Ok(Ok(answer)) => answer,
            Ok(Err(broken)) => {
                return Err(self.presence.classified(self.tried.not_answered(&broken), &broken));
            }
            Err(_) => return Err(self.tried.too_slow(self.timeouts.first_byte)),
        };
        self.presence.note();
        watch.same_wait();
        Ok(answer)
    }

    /// Reads until the answer is over; what kept it from its end comes back.
    pub(super) async fn read(
        &self,
        answer: &mut Answer<Body>,
        reading: &mut impl Reading,
        watch: &mut Watch<'_>,
    ) -> Option<Error> {
        let problem = self.read_body(answer, reading, watch).await;
        if let Some(tapped) = self.tapped {
            tapped.end(problem.as_ref().map(|problem| &*problem.message));
        }
        problem
    }

    async fn read_body(
        &self,
        answer: &mut Answer<Body>,
        reading: &mut impl Reading,
        watch: &mut Watch<'_>,
    ) -> Option<Error> {
        let mut begun = false;
        while !reading.is_over() {
            if reading.is_done() {
                watch.set_limits(Limits::of_wait(LAST_BREATH));
            }
            match watch.next(pin!(answer.frame())).await {
                Err(_) if reading.is_done() => return None,
                Err(Late::Whole(most)) => reading.took_too_long(most),
                Err(Late::Silence(most)) => return Some(self.tried.silent(most)),
                Err(Late::Wait(most)) => return Some(self.tried.too_slow(most)),
                Ok(None) => return None,
                Ok(Some(Err(broken))) => return Some(self.tried.not_answered(&broken)),
                Ok(Some(Ok(frame))) => {
                    // Trailers say nothing that an answer needs.
                    let Ok(bytes) = frame.into_data() else { continue };
                    if !begun {
                        begun = true;
                        watch.set_limits(self.limits());
                    }
                    if let Some(tapped) = self.tapped {
                        tapped.bytes(&bytes);
                    }
                    reading.push(&bytes);
                    if reading.take_moved() {
                        watch.received();
                    }
                }
            }
        }
        None
    }

    /// The limits from the first byte on.
    fn limits(&self) -> Limits {
        let Timeouts { idle, silence, answer, .. } = *self.timeouts;
        Limits { wait: idle, silence, whole: answer }
    }

    /// The same error with the id of the request, if the answer names it.
    pub(super) fn identified<B>(&self, error: Error, answer: &Answer<B>) -> Error {
        let request_id = error.request_id.or_else(|| request_id(answer.headers()).map(Box::from));
        Error { request_id: request_id.filter(|_| error.status != Some(407)), ..error }
    }

    /// What the head of an answer says.
    pub(super) fn answered<'h, B>(&self, answer: &'h Answer<B>) -> Answered<'h> {
        Answered::new(answer.status(), answer.headers(), self.clock)
    }
}
