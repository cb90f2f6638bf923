//! Asks a search engine over HTTP, as its row of the table says.

use std::fmt;

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue, RETRY_AFTER};
use legwork_port::BoxFuture;
use legwork_port::network::{Target, TargetHost};
use serde_json::{Map, Value};

use super::engine::{Asks, ENGINES, Engine, KeyNeed, SendsKey, engine};
use super::{Error, Hit, Query, SearchProvider};
use crate::address::{Address, Scheme};
use crate::client::{Answer, Ask, Client, Limits};

/// Characters of what an engine says of an error.
const SAID: usize = 300;
/// Characters of a title and of what is shown of a page.
const TITLE: usize = 300;
const SNIPPET: usize = 1_500;

/// A search engine that is asked over HTTP.
#[derive(Clone)]
pub struct HttpSearch {
    engine: &'static Engine,
    base: Address,
    key: Option<(HeaderName, HeaderValue)>,
    client: Client,
}

impl HttpSearch {
    /// The engine of a name, with its key, at its own address or that of another server.
    ///
    /// Redirects are not followed, so that the key reaches nobody else.
    ///
    /// # Errors
    /// When there is no such engine, it needs a key or an address and has none, or one of them
    /// cannot be used.
    pub fn new(name: &str, key: Option<&str>, base_url: Option<&str>) -> Result<Self, Error> {
        let known = || ENGINES.iter().map(|engine| engine.name).collect::<Vec<_>>().join(", ");
        let unknown = || Error::UnknownEngine { name: name.to_owned(), known: known() };
        let engine = engine(name).ok_or_else(unknown)?;
        let base = base_url.unwrap_or(engine.base_url);
        let engine_name = engine.name;
        if base.is_empty() {
            return Err(Error::NoAddress { engine: engine_name });
        }
        let base = Address::parse(base.trim_end_matches('/'))
            .map_err(|source| Error::Address { engine: engine_name, source })?;
        let key = match key {
            Some(key) => Some(header(engine, key)?),
            None if engine.key == KeyNeed::Required => {
                return Err(Error::NoKey { engine: engine_name, variable: engine.variable });
            }
            None => None,
        };
        let failed = |source| Error::Client { engine: engine_name, source };
        Ok(Self { engine, base, key, client: Client::of_user().map_err(failed)? })
    }

    /// The same with other limits; redirects are not followed, whatever these say.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        let limits = Limits { redirects: 0, ..limits };
        Self { client: self.client.with_limits(limits), ..self }
    }

    /// The server that is asked.
    #[must_use]
    pub fn target(&self) -> &Target {
        self.base.target()
    }

    /// The server, if its key can be read on the way: it goes over plain HTTP to another machine.
    #[must_use]
    pub fn exposes_key(&self) -> Option<&Target> {
        let target = self.base.target();
        let is_here = match &target.host {
            TargetHost::Address(address) => address.is_loopback(),
            TargetHost::Name(name) => name == "localhost" || name.ends_with(".localhost"),
        };
        let is_read = self.key.is_some() && self.base.scheme() == Scheme::Http && !is_here;
        is_read.then_some(target)
    }

    async fn ask(&self, query: &Query) -> Result<Vec<Hit>, Error> {
        let engine = self.engine.name;
        let (address, ask) = self.request(query)?;
        let answer = self.client.get(address, &ask).await;
        let answer = answer.map_err(|source| Error::Client { engine, source })?;
        if !answer.status.is_success() {
            return Err(self.refused(&answer));
        }
        let malformed = |why: String| Error::Malformed { engine, why };
        if answer.is_cut {
            return Err(malformed("it is longer than may be read".to_owned()));
        }
        let body: Value =
            serde_json::from_slice(&answer.body).map_err(|error| malformed(error.to_string()))?;
        let none = Vec::new();
        let results = match body.pointer(self.engine.results) {
            Some(Value::Array(results)) => results,
            // Brave leaves the part out where nothing was found.
            None if body.is_object() && !self.is_error(&body) => &none,
            _ => return Err(malformed(format!("it has no list at {}", self.engine.results))),
        };
        Ok(results.iter().filter_map(|result| self.hit(result)).take(query.count).collect())
    }

    /// Whether an answer says that it is an error, though its status does not.
    fn is_error(&self, body: &Value) -> bool {
        ["error", "detail"].iter().any(|name| body.get(name).is_some())
    }

    fn request(&self, query: &Query) -> Result<(Address, Ask), Error> {
        let engine = self.engine;
        let count = query.count.clamp(1, engine.most);
        let url = format!("{}/{}", self.base.as_str(), engine.path);
        let (url, method, body) = match engine.asks {
            Asks::Query => {
                let mut fields = vec![(engine.text, query.text.clone())];
                if !engine.count.is_empty() {
                    fields.push((engine.count, count.to_string()));
                }
                fields
                    .extend(engine.fixed.iter().map(|(name, value)| (*name, (*value).to_owned())));
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(name, value)| format!("{name}={}", encoded(value)))
                    .collect();
                (format!("{url}?{}", fields.join("&")), Method::GET, Bytes::new())
            }
            Asks::Json => {
                let mut fields = Map::new();
                fields.insert(engine.text.to_owned(), query.text.clone().into());
                fields.insert(engine.count.to_owned(), count.into());
                let fixed = engine.fixed.iter().filter_map(|(name, value)| {
                    Some(((*name).to_owned(), serde_json::from_str(value).ok()?))
                });
                fields.extend(fixed);
                (url, Method::POST, Value::Object(fields).to_string().into())
            }
        };
        let address = Address::parse(&url)
            .map_err(|source| Error::Address { engine: engine.name, source })?;
        let headers = self.key.clone().into_iter().collect();
        Ok((address, Ask { method, accept: "application/json", headers, body }))
    }

    fn refused(&self, answer: &Answer) -> Error {
        let (engine, status) = (self.engine.name, answer.status.as_u16());
        let said = said(&answer.body);
        match status {
            401 | 403 => Error::Unauthorized { engine, status, said },
            429 => {
                let retry_after = answer.headers.get(RETRY_AFTER);
                let retry_after = retry_after.and_then(|value| value.to_str().ok());
                Error::RateLimited { engine, said, retry_after: retry_after.map(str::to_owned) }
            }
            _ => Error::Status { engine, status, said },
        }
    }

    /// A result, if it has an address.
    fn hit(&self, result: &Value) -> Option<Hit> {
        let text = |name: &str, most| {
            let text = result.get(name).and_then(Value::as_str).unwrap_or_default();
            one_line(text, most)
        };
        let url = text(self.engine.url, SNIPPET);
        let date = self.engine.dates.iter().map(|name| text(name, 40));
        let date = date.into_iter().find(|date| !date.is_empty()).unwrap_or_default();
        let (title, snippet) = (text(self.engine.title, TITLE), text(self.engine.snippet, SNIPPET));
        (!url.is_empty()).then_some(Hit { title, url, snippet, date })
    }
}

impl SearchProvider for HttpSearch {
    fn name(&self) -> &str {
        self.engine.name
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        Box::pin(self.ask(query))
    }
}

impl fmt::Debug for HttpSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSearch")
            .field("engine", &self.engine.name)
            .field("base", &self.base.as_str())
            .field("has_key", &self.key.is_some())
            .finish_non_exhaustive()
    }
}

/// The header of a key, which is shown nowhere.
fn header(engine: &'static Engine, key: &str) -> Result<(HeaderName, HeaderValue), Error> {
    let (name, value) = match engine.sends_key {
        SendsKey::Header(name) => (HeaderName::from_static(name), key.to_owned()),
        SendsKey::Bearer => (AUTHORIZATION, format!("Bearer {key}")),
    };
    let value = HeaderValue::try_from(value);
    let mut value = value.map_err(|_| Error::Key { engine: engine.name })?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// What an engine says of an error, behind a colon; empty if it says nothing that can be shown.
fn said(body: &[u8]) -> String {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return String::new() };
    const PLACES: [&str; 6] =
        ["/error/detail", "/error/message", "/detail/error", "/error", "/detail", "/message"];
    let words = PLACES.iter().find_map(|place| body.pointer(place)?.as_str());
    words.map_or_else(String::new, |words| format!(": {}", one_line(words, SAID)))
}

/// A text in one line, of so many characters at most.
fn one_line(text: &str, most: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(most).collect()
}

/// A value of a query, percent-encoded but for the characters that need it nowhere.
fn encoded(value: &str) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}
