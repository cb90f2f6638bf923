//! The HTTP client of the threads that send: a blocking one, since they do nothing else.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use crate::telemetry::Failure;

/// Bytes of a collector's answer that are read at most.
const LONGEST: u64 = 64 << 10;

/// Posts to a collector, and notes why it failed.
#[derive(Clone, Debug)]
pub(super) struct Client {
    agent: Agent,
    failure: Failure,
}

impl Client {
    pub(super) fn new(timeout: Duration, failure: Failure) -> Result<Self, rustls::Error> {
        let crypto = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(crypto)
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            // What the environment says is the program's to read.
            .proxy(None)
            .build();
        Ok(Self { agent: Agent::new_with_config(config), failure })
    }

    fn post(&self, request: Request<Bytes>) -> Result<Response<Bytes>, ureq::Error> {
        let (parts, body) = request.into_parts();
        let request = Request::from_parts(parts, body.to_vec());
        let response = self.agent.run(request)?;
        let (parts, mut body) = response.into_parts();
        let read = body.with_config().limit(LONGEST).read_to_vec()?;
        Ok(Response::from_parts(parts, Bytes::from(read)))
    }

    fn note(&self, failure: Option<String>) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }
}

#[async_trait::async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let to = request.uri().to_string();
        let answer = self.post(request);
        self.note(match &answer {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(format!("{to} answered with status {}", answer.status().as_u16())),
            Err(error) => Some(format!("{to}: {error}")),
        });
        Ok(answer?)
    }
}
