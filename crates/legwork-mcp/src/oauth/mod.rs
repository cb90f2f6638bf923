//! Authorization by OAuth 2.1 for servers over HTTP.
//!
//! An agent's run uses the tokens that are kept, and renews them; it never asks a person. A
//! person logs in with [`Endpoint::log_in`], before it or between two runs.
//!
//! Read the modules in this order: `login` (the flow), `trial` (what a server asks for),
//! `discovery`, `client` (who we are), `browser`, `loopback`, `callback`, then `tokens` and
//! `renewal` (what a run uses), `grant`, `store`, `file` (what is kept), `http` and `reach` (how
//! authorization servers are asked).

use std::fmt;
use std::sync::Arc;

use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;
use url::Url;

use crate::Endpoint;
use crate::connect::Error;

mod browser;
mod callback;
mod client;
mod discovery;
mod file;
mod grant;
mod http;
mod login;
mod loopback;
mod reach;
mod renewal;
mod scopes;
mod store;
mod tokens;
mod trial;

pub use browser::Browser;
pub use file::FileStore;
pub use grant::Grant;
pub use loopback::LoopbackBrowser;
pub use store::{Guard, TokenStore};
pub(crate) use tokens::Tokens;

/// Characters of the reason of a failed login at most.
const WORDS: usize = 600;

/// How a server is logged in to: where its tokens are kept, and who we are.
///
/// Without anything else, we register with the authorization server that the server names, and
/// ask for the scopes that the server asks for.
#[derive(Clone)]
pub struct Login {
    store: Arc<dyn TokenStore>,
    registered: Option<Registered>,
    issuer: Option<String>,
    document: Option<String>,
    name: String,
    scopes: Vec<String>,
}

/// A client that an authorization server knows already.
#[derive(Clone)]
struct Registered {
    id: String,
    secret: Option<String>,
}

impl Login {
    /// With tokens in this store, which is for one server.
    #[must_use]
    pub fn new(store: impl TokenStore + 'static) -> Self {
        Self {
            store: Arc::new(store),
            registered: None,
            issuer: None,
            document: None,
            name: "Legwork".to_owned(),
            scopes: Vec::new(),
        }
    }

    /// As a client that the authorization server knows by this id.
    #[must_use]
    pub fn client(mut self, id: impl Into<String>) -> Self {
        self.registered = Some(Registered { id: id.into(), secret: None });
        self
    }

    /// As a client that the authorization server knows by this id and secret.
    #[must_use]
    pub fn confidential_client(mut self, id: impl Into<String>, secret: impl Into<String>) -> Self {
        self.registered = Some(Registered { id: id.into(), secret: Some(secret.into()) });
        self
    }

    /// As a client that is described by a document at this `https` URL, which is its id.
    ///
    /// It counts where the authorization server reads such documents, and knows us by no id.
    #[must_use]
    pub fn client_document(mut self, url: impl Into<String>) -> Self {
        self.document = Some(url.into());
        self
    }

    /// Only at the authorization server with this issuer.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// With the name that a person is shown when they are asked to grant something.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// With a scope in addition to those that the server asks for.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(scope.into());
        self
    }
}

impl Endpoint {
    /// With tokens on the requests, which are renewed when they end.
    ///
    /// Without tokens, and when they are refused, a connection or a call fails with words that
    /// say so: [`log_in`](Self::log_in) first.
    #[must_use]
    pub fn authorized(mut self, login: Login) -> Self {
        self.tokens = Some(Arc::new(Tokens::new(login, &self.url)));
        self
    }

    /// Asks a person to let us use the server, and keeps the tokens.
    ///
    /// Scopes that were granted before, and those that the server asked for in a call, are asked
    /// for too. If the server then asks for more, the person is asked again, three times at most.
    ///
    /// # Errors
    /// When it is not [`authorized`](Self::authorized), the server or its authorization server
    /// cannot be reached, one of them breaks the rules, or the person does not grant it.
    pub async fn log_in(&self, browser: &dyn Browser) -> Result<(), Error> {
        login::log_in(self, self.tokens()?, browser).await
    }

    /// Forgets the tokens.
    ///
    /// # Errors
    /// When they cannot be removed, or it is not [`authorized`](Self::authorized).
    pub async fn log_out(&self) -> Result<(), Error> {
        self.tokens()?.forget().await
    }

    fn tokens(&self) -> Result<&Tokens, Error> {
        let tokens = self.tokens.as_deref();
        tokens.ok_or_else(|| refused("it was not set up how to log in"))
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("client", &self.registered.as_ref().map(|client| &client.id))
            .field("issuer", &self.issuer)
            .field("document", &self.document)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// Why there is no login; parts of it may be the words of others.
fn refused(why: &str) -> Error {
    let shown = why.chars().map(|c| if c.is_control() { ' ' } else { c });
    Error::Denied(format!("the login failed: {}", shown.take(WORDS).collect::<String>()))
}

/// A URL as it is compared and kept.
fn url(text: &str) -> Result<Url, Error> {
    let url = Url::parse(text);
    let mut url = url.map_err(|_| Error::Denied(format!("`{text}` is not a URL")))?;
    url.set_fragment(None);
    Ok(url)
}

/// Does something whose messages for developers would hold secrets.
async fn silent<T>(future: impl Future<Output = T>) -> T {
    future.with_subscriber(NoSubscriber::default()).await
}
