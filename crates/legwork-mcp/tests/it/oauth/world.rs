//! A server, and an authorization server, on one port.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use http::header::AUTHORIZATION;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use legwork_mcp::Endpoint;
use legwork_mcp::oauth::{FileStore, Login};
use legwork_testkit::Gate;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Barrier;

use super::authority::{form, json, with};
use crate::fixture::Fixture;
use crate::http::{Reply, Web, plain};

/// Both servers, until it is dropped.
pub(crate) struct World {
    pub(crate) web: Web,
    pub(crate) all: Arc<All>,
    folder: TempDir,
}

/// What both know, and what was asked of them.
pub(crate) struct All {
    base: OnceLock<String>,
    mcp: StreamableHttpService<Fixture, LocalSessionManager>,
    pub(crate) now: Mutex<Now>,
    /// Holds requests with tokens that are refused, until there are two.
    pub(crate) two_refused: Mutex<Option<Arc<Barrier>>>,
    /// Holds the answers of those that ask for tokens.
    pub(crate) hold: Mutex<Option<Gate>>,
    /// Whether tokens are given at all.
    pub(crate) gives: AtomicBool,
}

#[derive(Default)]
pub(crate) struct Now {
    /// What the metadata has else.
    pub(crate) resource: Value,
    pub(crate) issuer: Value,
    /// What the answer to a registration has in addition to its id.
    pub(crate) registration: Value,
    /// What the person is sent back with else.
    pub(crate) callback: Vec<(&'static str, Option<&'static str>)>,
    /// How long tokens last: the first, and the others.
    pub(crate) lasts: [Option<u64>; 2],
    /// The scopes that requests need, by the text that is in them.
    pub(crate) needs: Vec<(&'static str, &'static str)>,
    /// Whether a scope that nobody has is needed, another one each time.
    pub(crate) needs_more: bool,
    /// What was asked of the authorization server.
    pub(crate) registered: Vec<Value>,
    pub(crate) authorized: Vec<HashMap<String, String>>,
    pub(crate) redeemed: usize,
    pub(crate) renewed: usize,
    /// How clients said who they are, at the token endpoint.
    pub(crate) clients: Vec<String>,
    /// Every secret that there is.
    pub(crate) secrets: Vec<String>,
    pub(super) codes: HashMap<String, HashMap<String, String>>,
    pub(super) tokens: HashMap<String, String>,
    pub(super) refreshing: HashMap<String, String>,
}

impl World {
    pub(crate) async fn new(fixture: Fixture) -> Self {
        let mcp = StreamableHttpService::new(
            move || Ok(fixture.clone()),
            Arc::new(LocalSessionManager::default()),
            StreamableHttpServerConfig::default(),
        );
        let now = Now { lasts: [Some(3_600); 2], ..Now::default() };
        let all = Arc::new(All {
            base: OnceLock::new(),
            mcp,
            now: Mutex::new(now),
            two_refused: Mutex::default(),
            hold: Mutex::default(),
            gives: AtomicBool::new(true),
        });
        let answering = Arc::clone(&all);
        let web = Web::of(move |request| Arc::clone(&answering).answer(request)).await;
        all.base.set(web.url.trim_end_matches("/mcp").to_owned()).unwrap();
        Self { web, all, folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn now(&self) -> MutexGuard<'_, Now> {
        self.all.now.lock().unwrap()
    }

    pub(crate) fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("mcp").join("my.json")
    }

    pub(crate) fn login(&self) -> Login {
        Login::new(FileStore::new(self.file()))
    }

    /// The server, with what is in the file: as another process would have it.
    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::new(&self.web.url).unwrap().authorized(self.login())
    }

    /// The server takes none of the tokens that were given so far.
    pub(crate) fn revoke(&self) {
        self.now().tokens.clear();
    }

    /// The authorization server does not renew any more.
    pub(crate) fn end(&self) {
        self.revoke();
        self.now().refreshing.clear();
    }
}

impl All {
    pub(super) fn base(&self) -> &str {
        self.base.get().unwrap()
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Reply {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&body).into_owned();
        match parts.uri.path() {
            "/mcp" => self.serve(Request::from_parts(parts, Full::new(body)), &text).await,
            "/.well-known/oauth-protected-resource/mcp" => {
                let base = self.base();
                let about =
                    json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]});
                json(200, &with(about, &self.now.lock().unwrap().resource))
            }
            "/.well-known/oauth-authorization-server" => self.metadata(),
            "/register" => self.register(&text),
            "/authorize" => self.authorize(parts.uri.query().unwrap()),
            "/token" => {
                let header = parts.headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap());
                let answer = self.token(&form(&text), header);
                let hold = self.hold.lock().unwrap().clone();
                if let Some(gate) = hold {
                    gate.pass().await;
                }
                answer
            }
            _ => plain(404, &[], ""),
        }
    }

    async fn serve(&self, request: Request<Full<Bytes>>, text: &str) -> Reply {
        let header = request.headers().get(AUTHORIZATION).map(|value| value.to_str().unwrap());
        let token = header.and_then(|header| header.strip_prefix("Bearer ")).unwrap_or_default();
        let about = format!("{}/.well-known/oauth-protected-resource/mcp", self.base());
        let refused = |status, error: &str, scope: &str| {
            let bearer = format!(
                "Bearer error=\"{error}\", scope=\"{scope}\", resource_metadata=\"{about}\""
            );
            plain(
                status,
                &[("www-authenticate", "Basic realm=\"a\""), ("www-authenticate", &bearer)],
                "",
            )
        };
        let (scope, needs) = {
            let now = self.now.lock().unwrap();
            let needs = now.needs.iter().find(|(method, _)| text.contains(method));
            let needs = needs.map_or("", |(_, scope)| *scope).to_owned();
            let more = format!("more-{}", now.authorized.len());
            let needs = if now.needs_more && !token.is_empty() { more } else { needs };
            (now.tokens.get(token).cloned(), needs)
        };
        let Some(scope) = scope else {
            let barrier = self.two_refused.lock().unwrap().clone();
            if let Some(barrier) = barrier.filter(|_| !token.is_empty()) {
                barrier.wait().await;
            }
            return refused(401, "invalid_token", "basic");
        };
        if !needs.is_empty() && !scope.split(' ').any(|one| one == needs) {
            return refused(StatusCode::FORBIDDEN.as_u16(), "insufficient_scope", &needs);
        }
        self.mcp.handle(request).await
    }
}
