//! A response that is no longer waited for is cancelled.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use legwork_port::Clock;
use tokio::runtime::Handle;
use tracing::debug;

use super::target;
use crate::http::{Client, Limits, Watch, with_body};
use crate::remote::HttpModel;
use crate::remote::access::Access;
use crate::remote::traffic::Tap;

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
        let request = target::of_cancel(&model.template, id).ok();
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
        let (body, tapped) = (Bytes::new(), self.tap.as_deref().map(Tap::attempt));
        let sending = async {
            let mut request = with_body(&self.request, body.clone());
            if let Some(access) = &self.access {
                access.open(&mut request, &body, &*self.clock).await.ok()?;
            }
            if let Some(tapped) = tapped {
                tapped.request(&self.client.origin().to_string(), &request, &body);
            }
            let answer = self.client.send(&*self.clock, request).await.ok()?;
            if let Some(tapped) = tapped {
                tapped.response(answer.status().as_u16(), answer.headers());
                tapped.end(None);
            }
            Some(answer.status().as_u16())
        };
        let mut watch = Watch::new(&*self.clock, Limits::of_wait(self.limit));
        let status = watch.next(pin!(sending)).await.ok().flatten();
        debug!(status, "a response that is no longer waited for was cancelled");
    }
}
