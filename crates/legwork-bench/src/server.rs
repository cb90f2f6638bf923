//! A scripted server of each API: one thread, loopback only.
//!
//! It keeps no state between requests. The model's name is the script, and the
//! turn is the number of the model's messages in a request, so it works with any
//! client that sends the whole conversation.

mod reply;
mod request;

use std::{convert::Infallible, io::Read, io::Write, sync::mpsc, time::Instant};

use http_body_util::BodyExt;
use hyper::{
    Method, Request, Response, StatusCode, body::Incoming, header, server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use reply::Reply;
use tokio::net::{TcpListener, TcpStream};

use crate::error::Error;

/// Receives the time at which the head of each request arrived.
pub(crate) type Arrivals = Option<mpsc::Sender<Instant>>;

/// Serves on a free loopback port, prints it, and ends with its parent.
///
/// The parent holds the other end of standard input; when that closes, the
/// process exits, so a killed harness leaves no server behind.
///
/// # Errors
/// The port cannot be bound or printed.
pub(crate) async fn main() -> Result<(), Error> {
    let listener =
        TcpListener::bind(("127.0.0.1", 0)).await.map_err(Error::io("binding a loopback port"))?;
    let port = listener.local_addr().map_err(Error::io("asking for the bound port"))?.port();
    writeln!(std::io::stdout(), "{port}").map_err(Error::io("printing the port"))?;
    std::thread::spawn(|| {
        // Any end of the input, also an error, means that the parent is gone.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    serve(listener, None).await
}

/// Answers every connection of `listener` until accepting fails.
///
/// # Errors
/// The listener no longer accepts.
pub(crate) async fn serve(listener: TcpListener, arrivals: Arrivals) -> Result<(), Error> {
    loop {
        let (stream, _) = listener.accept().await.map_err(Error::io("accepting a connection"))?;
        tokio::spawn(connection(stream, arrivals.clone()));
    }
}

/// Answers the requests of one connection.
async fn connection(stream: TcpStream, arrivals: Arrivals) {
    // Without it the last small packet of an answer waits for an acknowledgement.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        if let Some(arrivals) = &arrivals {
            // Only the first arrival is awaited; the receiver may be gone.
            let _ = arrivals.send(Instant::now());
        }
        answer(request)
    });
    // A client that disconnects is not an error.
    let _ = http1::Builder::new()
        // Thousands of tiny chunks: copied into one buffer they cost a third.
        .writev(false)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// Answers one request.
async fn answer(request: Request<Incoming>) -> Result<Response<Reply>, Infallible> {
    if request.method() != Method::POST {
        return Ok(refuse(StatusCode::METHOD_NOT_ALLOWED, "only POST is served"));
    }
    let uri = request.uri().clone();
    let Ok(body) = request.into_body().collect().await else {
        return Ok(refuse(StatusCode::BAD_REQUEST, "the body was cut"));
    };
    let body = body.to_bytes();
    let facts = match request::Facts::scan(&uri, &body) {
        Ok(facts) => facts,
        Err(error) => return Ok(refuse(StatusCode::BAD_REQUEST, &error.to_string())),
    };
    if !facts.script.latency.is_zero() {
        tokio::time::sleep(facts.script.latency).await;
    }
    Ok(respond(StatusCode::OK, Reply::play(&facts)))
}

/// An error response, as in the API.
fn refuse(status: StatusCode, message: &str) -> Response<Reply> {
    respond(status, Reply::error(message))
}

/// A response with its content type.
fn respond(status: StatusCode, reply: Reply) -> Response<Reply> {
    let kind = header::HeaderValue::from_static(reply.content_type());
    let mut response = Response::new(reply);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests;
