//! The credential of an attempt, put into its request.

use std::sync::{Arc, Mutex, PoisonError};
#[cfg(feature = "bedrock")]
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderValue, Request, Uri};
use legwork_core::Mask;
use legwork_core::mask::Growing;
use legwork_port::Clock;

use super::protocol::Protocol;
use super::secrets::Secrets;
#[cfg(feature = "bedrock")]
use crate::bedrock;
use crate::credentials::{Credential, Credentials, Error};

/// How many of the last credentials are masked in errors.
const REMEMBERED: usize = 4;

/// Where credentials come from, and what they are used for.
pub(super) struct Access {
    protocol: Protocol,
    credentials: Arc<dyn Credentials>,
    /// The region that signatures are for.
    #[cfg_attr(not(feature = "bedrock"), expect(dead_code, reason = "nothing is signed"))]
    region: Option<String>,
    #[cfg_attr(not(feature = "bedrock"), expect(dead_code, reason = "nothing is signed"))]
    server: Uri,
    last: Mutex<Vec<Credential>>,
    /// What was used, masked wherever the model's mask is.
    used: Growing,
}

/// Why a request has no credential.
#[derive(Debug)]
pub(super) enum Problem {
    /// Its source says so.
    Source(Error),
    /// It cannot be used.
    Unusable(String),
}

impl Access {
    pub(super) fn new(
        protocol: Protocol,
        credentials: Arc<dyn Credentials>,
        region: Option<String>,
        server: &Uri,
    ) -> Self {
        Self {
            protocol,
            credentials,
            region,
            server: server.clone(),
            last: Mutex::default(),
            used: Growing::default(),
        }
    }

    /// Gets a credential and puts it into a request with this body; the credential comes back.
    pub(super) async fn open<B>(
        &self,
        request: &mut Request<B>,
        body: &Bytes,
        clock: &dyn Clock,
    ) -> Result<Credential, Problem> {
        let credential = self.credentials.get().await.map_err(Problem::Source)?;
        self.remember(&credential);
        self.put(&credential, request, body, clock).map_err(Problem::Unusable)?;
        Ok(credential)
    }

    /// Whether a request whose answer refuses its credential is to be sent again, with another.
    ///
    /// AWS says 403 of a token that has expired, and names the error.
    pub(super) fn renews(&self, refused: &Credential, status: u16, name: &str) -> bool {
        let is_refused = status == 401 || (status == 403 && name.starts_with("ExpiredToken"));
        is_refused && self.credentials.renew(refused)
    }

    /// The mask of all that was used, and will be.
    pub(super) fn mask(&self) -> Mask {
        self.used.mask()
    }

    #[cfg_attr(not(feature = "bedrock"), expect(unused_variables, reason = "nothing is signed"))]
    fn put<B>(
        &self,
        credential: &Credential,
        request: &mut Request<B>,
        body: &Bytes,
        clock: &dyn Clock,
    ) -> Result<(), String> {
        let forbidden = "it has characters that HTTP forbids; is there a line break at its end?";
        let (name, mut value) = match credential {
            Credential::Key(key) => self.protocol.key(key).map_err(|_| forbidden)?,
            Credential::Bearer(token) => {
                let value = HeaderValue::try_from(format!("Bearer {token}"));
                (AUTHORIZATION, value.map_err(|_| forbidden)?)
            }
            #[cfg(feature = "bedrock")]
            Credential::Aws { access_key, secret_key, session_token } => {
                let keys = bedrock::Keys {
                    access_key,
                    secret_key,
                    session_token: session_token.as_deref(),
                };
                let region = self.region.as_deref();
                let region = region.ok_or("no region is set for its signatures")?;
                let now = SystemTime::UNIX_EPOCH + Duration::from_millis(clock.now().wall.0);
                let scope = bedrock::Scope::new(region, now);
                return bedrock::sign(request, &self.server, body, keys, scope);
            }
        };
        value.set_sensitive(true);
        request.headers_mut().insert(name, value);
        Ok(())
    }

    fn remember(&self, credential: &Credential) {
        credential.secrets().for_each(|secret| self.used.add(secret));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.contains(credential) {
            return;
        }
        if last.len() == REMEMBERED {
            last.remove(0);
        }
        last.push(credential.clone());
    }

    /// What must not be shown of the credentials that were used last.
    pub(super) fn secrets(&self) -> Secrets {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut secrets = Secrets::default();
        last.iter().flat_map(Credential::secrets).for_each(|secret| secrets.push(secret));
        secrets
    }
}
