//! A connection that is live, and another one after it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_port::toolset::Error;
use rmcp::model::{CancelledNotificationParam, RequestId, ServerNotification, SubscriptionFilter};
use rmcp::service::{Peer, RoleClient, RunningService};
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::connect::{self, Connect, Connected};
use crate::handler::Handler;
use crate::handshake::{self, Greeting};
use crate::sampling::Sampling;

/// How long the messages that are under way may take when a connection is closed.
const CLOSING: Duration = Duration::from_secs(1);

/// How often it is connected to in a row without a call that was answered.
const CONNECTIONS: u32 = 3;

/// How often changes of the tools are subscribed to, and the pause before it is done again.
const SUBSCRIPTIONS: u32 = 5;
const PAUSE: Duration = Duration::from_secs(1);

/// The connections to a server, one at a time.
pub(crate) struct Connections {
    connect: Arc<dyn Connect>,
    pub(crate) handler: Handler,
    /// Connections since the last call that was answered.
    made: AtomicU32,
    state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    live: Option<Arc<Live>>,
    greeting: Greeting,
    /// What the last one wrote for people before it ended.
    said: String,
    closed: bool,
}

/// A connection that is live.
pub(crate) struct Live {
    pub(crate) peer: Peer<RoleClient>,
    service: Mutex<Option<RunningService<RoleClient, Handler>>>,
    other: Mutex<Option<Box<dyn connect::Peer>>>,
    /// What tells the server of calls that were cancelled.
    cancels: Mutex<JoinSet<()>>,
    /// What the other side wrote last, when it has ended.
    said: OnceCell<String>,
}

impl Connections {
    pub(crate) fn new(connect: Arc<dyn Connect>, samples: Sampling) -> Self {
        let (handler, made) = (Handler::new(samples), AtomicU32::new(0));
        Self { connect, handler, made, state: tokio::sync::Mutex::default() }
    }

    /// The live connection; it is made if there is none.
    ///
    /// # Errors
    /// When there is none, or too many ended one after the other.
    pub(crate) async fn live(&self) -> Result<Arc<Live>, Error> {
        let mut state = self.state.lock().await;
        if let Some(live) = state.live.as_ref().filter(|live| live.is_live()) {
            return Ok(Arc::clone(live));
        }
        if state.closed {
            return Err(Error::Unavailable("it was closed".to_owned()));
        }
        if let Some(ended) = state.live.take() {
            ended.end().await.clone_into(&mut state.said);
        }
        if self.made.load(Ordering::SeqCst) >= CONNECTIONS {
            let said = said("it said last", &state.said);
            let reason = format!("it ended {CONNECTIONS} times in a row{said}");
            return Err(Error::Unavailable(reason));
        }
        let mut greeting = state.greeting;
        let made = self.make(&mut greeting).await;
        // An attempt that was cancelled does not count.
        self.made.fetch_add(1, Ordering::SeqCst);
        let live = Arc::new(made?);
        state.greeting = greeting;
        state.live = Some(Arc::clone(&live));
        self.handler.tools_changed();
        Ok(live)
    }

    /// Notes that a call was answered: the server works.
    pub(crate) fn works(&self) {
        self.made.store(1, Ordering::SeqCst);
    }

    /// Connects; a server that may only know the older greeting is connected to once more.
    async fn make(&self, greeting: &mut Greeting) -> Result<Live, Error> {
        loop {
            let connected = self.connect.connect().await.map_err(|error| match error {
                connect::Error::Denied(why) => Error::Denied(why),
                other => Error::Unavailable(other.to_string()),
            })?;
            let Connected { wire, peer: other } = connected;
            self.handler.calls.connected();
            match handshake::greet(wire, &self.handler, *greeting).await {
                Ok(service) => {
                    let peer = service.peer().clone();
                    self.listen(&peer);
                    let (service, other) = (Mutex::new(Some(service)), Mutex::new(Some(other)));
                    let (cancels, said) = (Mutex::default(), OnceCell::new());
                    return Ok(Live { peer, service, other, cancels, said });
                }
                Err(failed) if failed.may_be_older => {
                    other.end().await;
                    *greeting = Greeting::Initialize;
                }
                Err(failed) => {
                    let said = said("it said", &other.end().await);
                    return Err(Error::Unavailable(format!("{}{said}", failed.why)));
                }
            }
        }
    }

    /// Asks a server of the newer protocol to say when its tools change.
    fn listen(&self, peer: &Peer<RoleClient>) {
        let Some(info) = peer.peer_info() else { return };
        let tells = info.capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
        if tells != Some(true) || info.protocol_version.has_initialize() {
            return;
        }
        tokio::spawn(listen(peer.clone(), self.handler.clone()));
    }

    /// Closes the connection: none is made after it.
    ///
    /// It goes on behind a caller that does not wait for it, as long as the runtime runs.
    pub(crate) async fn close(&self) {
        let live = {
            let mut state = self.state.lock().await;
            state.closed = true;
            state.live.take()
        };
        let held = self.handler.held.take_if(|_| true);
        let ending = async move {
            if let Some(held) = held {
                held.end().await;
            }
            if let Some(live) = live {
                live.end().await;
            }
        };
        let _ = tokio::spawn(ending).await;
    }
}

impl Drop for Connections {
    /// What is held holds its connection.
    fn drop(&mut self) {
        drop(self.handler.held.take_if(|_| true));
    }
}

/// Notes changes of the tools as long as the connection lives; a subscription that ends before is
/// made again a few times.
async fn listen(peer: Peer<RoleClient>, handler: Handler) {
    for _ in 0..SUBSCRIPTIONS {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let Ok(mut changes) = peer.listen(filter).await else { return };
        while let Ok(Some(change)) = changes.next().await {
            if matches!(change, ServerNotification::ToolListChangedNotification(_)) {
                handler.tools_changed();
            }
        }
        if peer.is_transport_closed() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
        // One may have been missed.
        handler.tools_changed();
    }
}

/// What a server wrote for people, to be put behind a sentence.
pub(crate) fn said(how: &str, words: &str) -> String {
    match words.is_empty() {
        true => String::new(),
        false => format!("; {how}: {words}"),
    }
}

impl Live {
    fn is_live(&self) -> bool {
        !self.peer.is_transport_closed()
    }

    /// Notifies the server that a request is cancelled, and waits until that is sent.
    pub(crate) async fn cancels(&self, id: RequestId) {
        // A server that does not read, or is gone, works on nothing.
        let _ = timeout(CLOSING, self.peer.notify_cancelled(cancelled(id))).await;
    }

    /// Notifies the server that a request is cancelled; what is given is dropped after that.
    pub(crate) fn cancel(&self, id: RequestId, then: impl Send + 'static) {
        let Ok(runtime) = Handle::try_current() else { return };
        let cancelled = cancelled(id);
        let peer = self.peer.clone();
        let telling = async move {
            // A server that is gone works on nothing.
            let _ = peer.notify_cancelled(cancelled).await;
            drop(then);
        };
        let mut cancels = self.cancels.lock().unwrap_or_else(PoisonError::into_inner);
        while cancels.try_join_next().is_some() {}
        cancels.spawn_on(telling, &runtime);
    }

    /// Ends it, and waits until it has ended; what the other side wrote last for people.
    pub(crate) async fn end(&self) -> &str {
        let ended = self.said.get_or_init(|| async {
            let cancels =
                std::mem::take(&mut *self.cancels.lock().unwrap_or_else(PoisonError::into_inner));
            let service = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
            let other = self.other.lock().unwrap_or_else(PoisonError::into_inner).take();
            // One that does not read is not waited for.
            let _ = timeout(CLOSING, cancels.join_all()).await;
            if let Some(mut service) = service {
                // What it does not take any more is lost with it.
                let _ = service.close_with_timeout(CLOSING).await;
            }
            match other {
                Some(other) => other.end().await,
                None => String::new(),
            }
        });
        ended.await
    }
}

fn cancelled(id: RequestId) -> CancelledNotificationParam {
    CancelledNotificationParam::new(Some(id), Some("the call was cancelled".to_owned()))
}

impl Drop for Live {
    /// One that ended by itself is waited for elsewhere, so that no dead process is left.
    fn drop(&mut self) {
        let other = self.other.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(other), Ok(runtime)) = (other, Handle::try_current()) {
            drop(self.service.get_mut().unwrap_or_else(PoisonError::into_inner).take());
            runtime.spawn(other.end());
        }
    }
}
