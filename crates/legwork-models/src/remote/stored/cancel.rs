//! A response that is no longer waited for is cancelled.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use legwork_port::Clock;
use tokio::runtime::Handle;
use tracing::debug;

use super::location;
use crate::http::{Client, Limits, Watch, with_body};
use crate::remote::HttpModel;
use crate::remote::access::Access;
use crate::remote::traffic::{Tap, Tapped};

/// Cancels a response when it is dropped, unless that is over.
///
/// It is best effort: a task sends the request once, and nothing waits for it. Outside of a runtime
/// nothing is sent.
pub(super) struct Cancelling(Option<Cancel>);

/// What is needed to cancel a response, after the inference is gone.
struct Cancel {
    request: Request<()>,
    client: Arc<Client>,
    access: Option<Arc<Access>>,
    tap: Option<Arc<Tap>>,
    clock: Arc<dyn Clock>,
    limit: Duration,
}

impl Cancelling {
    /// Cancels this response of a model.
    pub(super) fn of(model: &HttpModel, id: &str) -> Self {
        let cancel = |request| Cancel {
            request,
            client: Arc::clone(&model.client),
            access: model.access.clone(),
            tap: model.tap.clone(),
            clock: Arc::clone(&model.clock),
            limit: model.timeouts.first_byte,
        };
        let request = location::of_cancel(&model.template, id).ok();
        Self(request.filter(|_| !id.is_empty()).map(cancel))
    }

    /// Notes that the response is over: there is nothing to cancel.
    pub(super) fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for Cancelling {
    fn drop(&mut self) {
        if let Some(cancel) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(cancel.send());
        }
    }
}

impl Cancel {
    async fn send(self) {
        let tapped = self.tap.as_deref().map(Tap::attempt);
        let mut watch = Watch::new(&*self.clock, Limits::of_wait(self.limit));
        let answered = watch.next(pin!(self.answered(tapped))).await;
        let answered = answered.unwrap_or_else(|_| {
            let limit = self.limit;
            Err(format!("nothing came within {limit:?}"))
        });
        if let Some(tapped) = tapped {
            tapped.end(answered.as_ref().err().map(String::as_str));
        }
        match answered {
            Ok(status) if status.is_success() => {
                debug!("a response that is no longer waited for was cancelled");
            }
            Ok(status) => {
                let status = status.as_u16();
                debug!(status, "the server did not cancel a response that is not waited for");
            }
            Err(_) => debug!("the server did not answer that a response is to be cancelled"),
        }
    }

    /// The status that the server answers with, or why there is none.
    async fn answered(&self, tapped: Option<Tapped<'_>>) -> Result<StatusCode, String> {
        let body = Bytes::new();
        let mut request = with_body(&self.request, body.clone());
        if let Some(access) = &self.access {
            let opened = access.open(&mut request, &body, &*self.clock).await;
            opened.map_err(|_| "there is no credential".to_owned())?;
        }
        if let Some(tapped) = tapped {
            tapped.request(&self.client.origin().to_string(), &request, &body);
        }
        let answer = self.client.send(&*self.clock, request).await;
        let answer = answer.map_err(|broken| broken.in_words())?;
        if let Some(tapped) = tapped {
            tapped.response(answer.status().as_u16(), answer.headers());
        }
        Ok(answer.status())
    }
}
