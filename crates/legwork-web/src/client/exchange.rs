//! One request and its answer, on a connection of its own.

use std::future::poll_fn;
use std::pin::pin;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_TYPE, HOST, HeaderName, HeaderValue, USER_AGENT,
};
use hyper::rt::{Read, Write};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;

use super::body::read;
use super::{Answer, Client, Error, requested};
use crate::address::{Address, Scheme};

/// Bytes that are read at once, and the longest head of an answer.
const MOST_BUFFERED: usize = 64 << 10;

const AGENT: &str = concat!("legwork/", env!("CARGO_PKG_VERSION"));

/// What is asked beside the address.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) method: Method,
    /// What the answer may be.
    pub(crate) accept: &'static str,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// JSON that is sent; empty for none.
    pub(crate) body: Bytes,
}

impl Ask {
    /// To be given a page.
    pub(crate) fn page() -> Self {
        const PAGES: &str = "text/html, application/xhtml+xml, text/*, application/json, application/xml, */*;q=0.5";
        Self { method: Method::GET, accept: PAGES, headers: Vec::new(), body: Bytes::new() }
    }
}

impl Client {
    /// Asks a server once; redirects are answers.
    pub(super) async fn exchange(&self, address: &Address, ask: &Ask) -> Result<Answer, Error> {
        let request = request(address, ask)?;
        let stream = self.connect(address).await?;
        match address.scheme() {
            Scheme::Http => self.over(TokioIo::new(stream), address, request).await,
            Scheme::Https => {
                let stream = self.encrypt(address, stream).await?;
                self.over(TokioIo::new(stream), address, request).await
            }
        }
    }

    async fn over<S>(
        &self,
        stream: S,
        address: &Address,
        request: Request<Full<Bytes>>,
    ) -> Result<Answer, Error>
    where
        S: Read + Write + Unpin,
    {
        let broken = |source| Error::Broken { host: address.authority(), source };
        let mut builder = http1::Builder::new();
        let (mut sender, connection) =
            builder.max_buf_size(MOST_BUFFERED).handshake(stream).await.map_err(broken)?;
        let exchange = async {
            let answer: Response<Incoming> = sender.send_request(request).await.map_err(broken)?;
            let (head, body) = answer.into_parts();
            let read = read(&head.headers, body, self.limits.bytes, address).await?;
            Ok::<_, Error>((head, read))
        };
        let (head, (body, is_cut)) = driven(connection, exchange).await?;
        let address = address.clone();
        Ok(Answer { status: head.status, headers: head.headers, body, is_cut, address })
    }
}

/// What an exchange comes to, while its connection is read and written.
///
/// No task of its own does that: when this is dropped, the connection is closed.
async fn driven<T>(connection: impl Future, exchange: impl Future<Output = T>) -> T {
    let (mut connection, mut exchange) = (pin!(connection), pin!(exchange));
    let mut is_over = false;
    poll_fn(|cx| {
        // The exchange gets the error that ends the connection.
        is_over = is_over || connection.as_mut().poll(cx).is_ready();
        exchange.as_mut().poll(cx)
    })
    .await
}

fn request(address: &Address, ask: &Ask) -> Result<Request<Full<Bytes>>, Error> {
    let mut request = Request::new(Full::new(ask.body.clone()));
    *request.method_mut() = ask.method.clone();
    *request.uri_mut() = requested(address)?;
    let host = HeaderValue::try_from(address.authority());
    let host = host.map_err(|_| Error::Path(address.to_string()))?;
    let headers = request.headers_mut();
    headers.insert(HOST, host);
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(ACCEPT, HeaderValue::from_static(ask.accept));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if !ask.body.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    for (name, value) in &ask.headers {
        headers.insert(name, value.clone());
    }
    Ok(request)
}
