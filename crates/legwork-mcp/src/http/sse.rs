//! Servers of before 2025: one stream of events, and a request for each message to them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http::Uri;
use legwork_port::BoxFuture;
use rmcp::transport::streamable_http_client::StreamableHttpClient as _;
use sse_stream::Sse;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::client::{Client, Headers};
use super::{MESSAGE, reply};
use crate::connect::{Connected, Error, Peer};
use crate::fault;

/// How long a server may take until it says where messages go.
const READY: Duration = Duration::from_secs(30);
/// How long a server may take to take a message.
const SENDING: Duration = Duration::from_secs(30);
/// How long messages that are on their way may take when the connection is closed.
const LAST: Duration = Duration::from_secs(2);
/// Bytes on their way between the streams and the connection.
const BUFFER: usize = 64 << 10;

type Events = BoxStream<'static, Result<Sse, sse_stream::Error>>;

/// Opens the stream, and waits until the server says where messages go.
///
/// # Errors
/// When there is no such stream, or messages would go to another server.
pub(super) async fn connect(
    client: Client,
    url: &str,
    headers: Headers,
) -> Result<Connected, Error> {
    let unreachable = |why: String| Error::Unreachable(format!("`{url}`: {why}"));
    let opening = client.get_stream_with_max_sse_event_size(
        Arc::from(url),
        None,
        None,
        None,
        headers.clone(),
        MESSAGE,
    );
    let ready = async {
        let mut events = opening.await.map_err(|failed| unreachable(fault::of_http(&failed)))?;
        let place = endpoint(&mut events).await.map_err(unreachable)?;
        Ok::<_, Error>((events, place))
    };
    let ready = timeout(READY, ready).await;
    let late = || unreachable(format!("it was not ready within {} s", READY.as_secs()));
    let (events, place) = ready.map_err(|_| late())??;
    let to = resolve(url, &place).map_err(unreachable)?;
    let (from_server, heard) = duplex(BUFFER);
    let (to_server, said) = duplex(BUFFER);
    let failure = Failure::default();
    let mut hearing = JoinSet::new();
    hearing.spawn(hear(events, heard, failure.clone()));
    let mut saying = JoinSet::new();
    saying.spawn(say(client, to, headers, said, failure.clone()));
    let stream = Stream { hearing, saying, failure };
    Ok(Connected::older_streams(from_server, to_server, stream))
}

/// Where messages go, as the first event says.
async fn endpoint(events: &mut Events) -> Result<String, String> {
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| error.to_string())?;
        if event.event.as_deref() == Some("endpoint") {
            return Ok(event.data.unwrap_or_default().trim().to_owned());
        }
    }
    Err("its stream ended before it said where messages go".to_owned())
}

/// The address of messages; none but one of the server itself is used.
fn resolve(url: &str, place: &str) -> Result<String, String> {
    let other = || format!("it sends messages to another server: {place:?}");
    let base: Uri = url.parse().map_err(|_| other())?;
    let (Some(scheme), Some(authority)) = (base.scheme_str(), base.authority()) else {
        return Err(other());
    };
    let origin = format!("{scheme}://{authority}");
    if place.starts_with("//") || place.contains('\\') {
        return Err(other());
    }
    let has_scheme = place.split_once("://").is_some_and(|(scheme, _)| {
        scheme.chars().all(|one| one.is_ascii_alphanumeric() || "+-.".contains(one))
    });
    let whole = match place.chars().next() {
        None => return Err("it does not say where messages go".to_owned()),
        Some(_) if has_scheme => place.to_owned(),
        Some('/') => format!("{origin}{place}"),
        Some('?') => format!("{origin}{}{place}", base.path()),
        Some(_) => {
            let folder = base.path().rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{origin}{folder}/{place}")
        }
    };
    let to: Uri = whole.parse().map_err(|_| other())?;
    match origin_of(&to).is_some_and(|to| Some(to) == origin_of(&base)) {
        true => Ok(whole),
        false => Err(other()),
    }
}

/// The scheme, the host and the port of an address; none if it has credentials, too.
fn origin_of(uri: &Uri) -> Option<(&str, String, u16)> {
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
    let port = match scheme {
        "https" => 443,
        _ => 80,
    };
    let is_plain = !authority.as_str().contains('@');
    is_plain.then(|| {
        (scheme, authority.host().to_ascii_lowercase(), authority.port_u16().unwrap_or(port))
    })
}

/// Writes the messages of the server as lines, until its stream ends.
async fn hear(mut events: Events, mut to: DuplexStream, failure: Failure) {
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            Err(error) => return failure.is(error.to_string()),
        };
        let is_message = event.event.as_deref().is_none_or(|kind| kind == "message");
        let Some(data) = event.data.filter(|_| is_message) else { continue };
        // A break between two tokens of JSON is a blank.
        let line = format!("{}\n", data.replace(['\r', '\n'], " "));
        if to.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Sends each line as a request; the first one that is refused ends the connection.
async fn say(client: Client, to: String, headers: Headers, from: DuplexStream, failure: Failure) {
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let sent = timeout(SENDING, client.post_bytes(&to, headers.clone(), Bytes::from(line)));
        let why = match sent.await {
            Err(_) => format!("it took no message within {} s", SENDING.as_secs()),
            Ok(Ok(response)) if response.status().is_success() => continue,
            Ok(Ok(response)) => match reply::authorized(&response) {
                Err(failed) => fault::of_http(&failed),
                Ok(()) => fault::of_http(&reply::unexpected(response.status(), "")),
            },
            Ok(Err(failed)) => fault::of_http(&failed),
        };
        failure.is(why);
        return;
    }
}

/// Why the connection ended.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<String>>);

impl Failure {
    fn is(&self, why: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    fn words(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The connection; dropping it closes it.
struct Stream {
    hearing: JoinSet<()>,
    saying: JoinSet<()>,
    failure: Failure,
}

impl Peer for Stream {
    fn end(mut self: Box<Self>) -> BoxFuture<'static, String> {
        Box::pin(async move {
            // What was said last, such as that a call is cancelled, is still sent.
            let _ = timeout(LAST, self.saying.join_next()).await;
            self.saying.shutdown().await;
            self.hearing.shutdown().await;
            self.failure.words()
        })
    }
}

#[cfg(test)]
mod tests;
