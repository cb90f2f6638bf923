//! The server over two streams.

use std::io;
use std::sync::Arc;

use legwork_port::Cancellation;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::handler::{CancelOnDrop, Handler};
use crate::http::{self, Access};
use crate::sealed::Seal;
use crate::service::Service;

/// Speaks the protocol for a service.
#[derive(Clone)]
pub struct Server {
    service: Arc<dyn Service>,
    seal: Seal,
}

impl Server {
    /// A server of a service, such as [`Agents`](crate::Agents).
    pub fn new(service: impl Service + 'static) -> Self {
        let mut secret = [0; 32];
        let random = [Uuid::new_v4().into_bytes(), Uuid::new_v4().into_bytes()].concat();
        secret.copy_from_slice(&random);
        Self { service: Arc::new(service), seal: Seal::new(secret) }
    }

    /// The same with the secret that seals what clients keep for the server between two requests.
    ///
    /// By default there is one for each server, so what a client kept is refused after a restart.
    #[must_use]
    pub fn secret(self, secret: [u8; 32]) -> Self {
        Self { seal: Seal::new(secret), ..self }
    }

    /// Serves one client over two streams, each message a line, until its input ends.
    ///
    /// # Errors
    /// When the first message is none of the protocol, or a stream fails.
    pub async fn serve(
        &self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), io::Error> {
        self.serve_until(input, output, &Cancellation::default()).await
    }

    /// The same until its input ends or this is raised; requests under way are dropped then.
    ///
    /// # Errors
    /// As [`Server::serve`].
    pub async fn serve_until(
        &self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        stop: &Cancellation,
    ) -> Result<(), io::Error> {
        let gone = CancelOnDrop(Cancellation::default());
        let handler = Handler::new(Arc::clone(&self.service), self.seal.clone(), gone.0.clone());
        let serving = async {
            match handler.serve((input, output)).await {
                Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
                // It said nothing.
                Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
                Err(error) => Err(io::Error::other(error)),
            }
        };
        tokio::select! {
            served = serving => served,
            () = stop.cancelled() => Ok(()),
        }
    }

    /// Serves clients over HTTP, at `/mcp`, until this is raised.
    ///
    /// # Errors
    /// When the listener fails, or it is reached from other machines and access is
    /// [`Access::Local`].
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        access: Access,
        stop: &Cancellation,
    ) -> Result<(), io::Error> {
        let gone = CancelOnDrop(Cancellation::default());
        let (service, seal, over) = (Arc::clone(&self.service), self.seal.clone(), gone.0.clone());
        let handler = move || Handler::new(Arc::clone(&service), seal.clone(), over.clone());
        http::serve(handler, listener, access, stop).await
    }
}
