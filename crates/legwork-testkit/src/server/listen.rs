//! The server's thread, its runtime and its connections.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;

use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;

use super::{Shared, answer};

/// A running server; dropping it ends the thread and every connection.
#[derive(Debug)]
pub(super) struct Running {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic in there has been printed by its thread already.
            let _ = thread.join();
        }
    }
}

/// A free address of 127.0.0.1, held without listening: connections to it are refused.
pub(super) fn reserve() -> io::Result<TcpSocket> {
    reserve_at((Ipv4Addr::LOCALHOST, 0).into())
}

/// The same for an address that a server still listens on: no other process can take it.
pub(super) fn reserve_at(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// Listens on a reserved address and serves what comes, on a thread of its own.
pub(super) fn start(socket: TcpSocket, shared: Arc<Shared>) -> io::Result<Running> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let listener = {
        let _inside = runtime.enter();
        socket.listen(1024)?
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let thread =
        std::thread::Builder::new().name("scripted-server".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, shared) => {}
                    _ = stopped => {}
                }
            });
        })?;
    Ok(Running { stop: Some(stop), thread: Some(thread) })
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        // A connection that was closed before it was accepted does not stop the server.
        if let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(serve(stream, Arc::clone(&shared)));
        }
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let service = service_fn(|request| answer::answer(request, Arc::clone(&shared)));
    // An error here is a connection that the script cut, or that the client closed.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
