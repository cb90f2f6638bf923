//! The proxies that the environment names.

use std::fmt;
use std::sync::Arc;

use http::Uri;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use super::Proxy;
use super::variable::{self, InvalidProxy, Named};

/// Takes the place of a proxy that cannot be used, where only the rules are asked.
const UNUSABLE: &str = "http://proxy.invalid:1080";

/// Which requests go through which proxy, by the rules of curl; none by default.
///
/// Requests to `https` addresses go through the proxy of `HTTPS_PROXY`, those to `http` addresses
/// through that of `HTTP_PROXY`, both else through that of `ALL_PROXY`. `NO_PROXY` lists hosts
/// that are asked directly: names, which mean their subdomains too, addresses, networks such as
/// `10.0.0.0/8`, or `*` for all. This machine is no exception: list `localhost,127.0.0.1,::1`.
///
/// Needs the feature `proxy`.
///
/// ```
/// use legwork_models::http::Proxies;
///
/// let proxies = Proxies::from_variables(|name| match name {
///     "HTTPS_PROXY" => Some("http://me:secret@proxy.example:3128".to_owned()),
///     "NO_PROXY" => Some("internal.example".to_owned()),
///     _ => None,
/// });
/// let shown = "http://proxy.example:3128 (HTTPS_PROXY)";
/// assert_eq!(proxies.proxy_of("https://api.openai.com/v1")?.as_deref(), Some(shown));
/// assert_eq!(proxies.proxy_of("https://a.internal.example/v1")?, None);
/// # Ok::<(), legwork_models::http::InvalidProxy>(())
/// ```
#[derive(Clone, Default)]
pub struct Proxies(Option<Arc<Rules>>);

struct Rules {
    matcher: Matcher,
    http: Option<Result<Named, InvalidProxy>>,
    https: Option<Result<Named, InvalidProxy>>,
}

impl Proxies {
    /// No proxy: each server is asked directly.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The proxies that variables name.
    ///
    /// `look_up` gives the value of a variable; an empty one counts as not set. Of two spellings
    /// the lower case goes first. `HTTP_PROXY` in upper case is ignored where `REQUEST_METHOD` is
    /// set: there a request may have set it (CGI). A value that is not a proxy is an error only for
    /// a request that would go through it.
    pub fn from_variables(look_up: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| {
            let value = look_up(name).filter(|value| !value.is_empty())?;
            Some((name.to_owned(), value))
        };
        let all = || set("all_proxy").or_else(|| set("ALL_PROXY"));
        let is_cgi = set("REQUEST_METHOD").is_some();
        let upper = || set("HTTP_PROXY").filter(|_| !is_cgi);
        let http = set("http_proxy").or_else(upper).or_else(all);
        let https = set("https_proxy").or_else(|| set("HTTPS_PROXY")).or_else(all);
        let no = set("no_proxy").or_else(|| set("NO_PROXY")).map_or_else(String::new, |no| no.1);
        // For the matcher it means names alone, for curl addresses too.
        let is_never = no.split(',').any(|host| host.trim() == "*");
        if is_never || (http.is_none() && https.is_none()) {
            return Self::none();
        }
        let read = |(name, value): (String, String)| variable::read(&name, &value);
        let (http, https) = (http.map(read), https.map(read));
        let mut matcher = Matcher::builder().no(no);
        if let Some(http) = &http {
            matcher = matcher.http(url(http));
        }
        if let Some(https) = &https {
            matcher = matcher.https(url(https));
        }
        Self(Some(Arc::new(Rules { matcher: matcher.build(), http, https })))
    }

    /// The proxy that requests to an address go through, and the variable that names it, without
    /// its password; none if they go directly.
    ///
    /// # Errors
    /// When the variable names no proxy that can be used.
    pub fn proxy_of(&self, url: &str) -> Result<Option<String>, InvalidProxy> {
        let Ok(server) = Uri::try_from(url) else { return Ok(None) };
        Ok(self.proxy_to(&server)?.map(|proxy| proxy.to_string()))
    }

    /// The proxy that requests to a server go through; none if they go directly.
    ///
    /// # Errors
    /// When the variable names no proxy that can be used.
    pub(crate) fn proxy_to(&self, server: &Uri) -> Result<Option<Proxy>, InvalidProxy> {
        let Some(rules) = &self.0 else { return Ok(None) };
        let Some(intercept) = rules.matcher.intercept(server) else { return Ok(None) };
        let named = match server.scheme_str() {
            Some("http") => &rules.http,
            _ => &rules.https,
        };
        match named {
            None => Ok(None),
            Some(Ok(named)) => Ok(Some(proxy(named, &intercept))),
            Some(Err(invalid)) => Err(invalid.clone()),
        }
    }
}

fn proxy(named: &Named, intercept: &Intercept) -> Proxy {
    let raw = intercept.raw_auth();
    let credentials = raw.map(|(name, password)| (name.to_owned(), password.to_owned()));
    let authorization = intercept.basic_auth().cloned();
    let token = authorization.iter().filter_map(|value| value.to_str().ok());
    let token = token.filter_map(|value| value.strip_prefix("Basic ")).map(str::to_owned);
    Proxy {
        kind: named.kind,
        address: intercept.uri().clone(),
        variable: Arc::clone(&named.variable),
        secrets: named.secrets.iter().cloned().chain(token).collect(),
        authorization,
        credentials,
    }
}

fn url(named: &Result<Named, InvalidProxy>) -> String {
    match named {
        Ok(named) => named.url.0.clone(),
        Err(_) => UNUSABLE.to_owned(),
    }
}

/// Says where they are; never a password.
impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("Proxies(none)"),
            Some(rules) => f.debug_tuple("Proxies").field(&rules.matcher).finish(),
        }
    }
}
