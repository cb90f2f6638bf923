//! The handshake: which revision of the protocol a connection speaks.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rmcp::model::ProtocolVersion;
use rmcp::service::{
    ClientCacheConfig, ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _,
    RoleClient, RunningService,
};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::timeout;

use crate::connect::Wire;
use crate::fault;
use crate::handler::Handler;
use crate::held::Held;

/// How long a server may take until it is ready.
const READY: Duration = Duration::from_secs(30);

/// How a server is greeted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Greeting {
    /// It is asked which revisions it speaks; one that does not know the question is initialized.
    #[default]
    Ask,
    /// It is initialized, as servers before 2026 are.
    Initialize,
}

/// Why there is no connection, and whether an older greeting may do better.
pub(crate) struct Failed {
    pub(crate) why: String,
    pub(crate) may_be_older: bool,
}

/// What a server writes. When that ends, the server waits for nobody: the connection would wait for
/// the answer to its question first.
struct Written {
    from: Box<dyn AsyncRead + Send + Unpin>,
    held: Held,
}

impl AsyncRead for Written {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.from).poll_read(cx, into);
        if let Poll::Ready(read) = &read
            && (read.is_err() || into.filled().len() == before)
        {
            self.held.gone();
        }
        read
    }
}

/// Greets a server, and waits until it is ready.
///
/// # Errors
/// When it does not get ready, or speaks no revision that is known here.
pub(crate) async fn greet(
    wire: Wire,
    handler: &Handler,
    greeting: Greeting,
) -> Result<RunningService<RoleClient, Handler>, Failed> {
    let legacy = ProtocolVersion::V_2025_11_25;
    let greeting = match &wire {
        Wire::OlderStreams(..) => Greeting::Initialize,
        _ => greeting,
    };
    let lifecycle = match greeting {
        Greeting::Ask => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(legacy),
        },
        Greeting::Initialize => ClientLifecycleMode::Initialize,
    };
    let handler = handler.clone();
    let ready = async {
        match wire {
            Wire::Streams(from, to) | Wire::OlderStreams(from, to) => {
                let from = Written { from, held: handler.held.clone() };
                handler.serve_with_lifecycle((from, to), lifecycle).await
            }
            Wire::Http(transport) => handler.serve_with_lifecycle(transport, lifecycle).await,
        }
    };
    let service = timeout(READY, ready).await.map_err(|_| Failed {
        why: format!("it was not ready within {} s", READY.as_secs()),
        may_be_older: false,
    })?;
    let service = service.map_err(|error| Failed {
        why: words(&error),
        may_be_older: greeting == Greeting::Ask && is_older(&error),
    })?;
    // Lists are kept by revision here; a stale one would hide that a server is gone.
    service.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
    Ok(service)
}

/// Whether a server that failed so may only know the older greeting: some end at what they do
/// not know.
fn is_older(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            server_supported.iter().any(ProtocolVersion::has_initialize)
        }
        // One that gives anything for an answer knows nothing of the question.
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ExpectedInitResponse(_) => true,
        _ => false,
    }
}

fn words(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended before it was ready".to_owned(),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => words(fallback),
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions = server_supported.iter().map(ProtocolVersion::as_str);
            let versions = versions.collect::<Vec<_>>().join(", ");
            format!("it speaks none of the known revisions of the protocol, but {versions}")
        }
        ClientInitializeError::TransportError { error, .. } => {
            fault::of_transport(error).unwrap_or_else(|| "it ended before it was ready".to_owned())
        }
        other => other.to_string(),
    }
}
