//! How an [`HttpEmbedder`] is set up.

use http::Method;
use legwork_port::embedder::Profile;

use super::HttpEmbedder;
use crate::embeddings::{Api, BOUNDS, Quirks, known};
use crate::remote::address;
use crate::remote::builder::Error;
use crate::remote::protocol::Protocol;
use crate::remote::settings::settings;
use crate::remote::setup::{Opened, Setup};

/// Sets up an [`HttpEmbedder`]; what is not set has a sensible default.
///
/// Of the [bounds](Self::bounds), 64 MiB of an answer are kept by default, for vectors are long;
/// fewer texts are sent at once if less is allowed.
#[must_use]
pub struct EmbedderBuilder {
    api: Api,
    setup: Setup,
    quirks: Quirks,
    profile: Option<Profile>,
}

impl EmbedderBuilder {
    /// A model of a server that speaks an API; the API's own path is appended to `base_url`.
    pub fn new(api: Api, base_url: impl Into<String>, model: impl Into<String>) -> Self {
        let wire = api.wire();
        let mut setup = Setup::new(base_url.into(), model.into(), wire.provider());
        setup.bounds = BOUNDS;
        Self { api, setup, quirks: wire.quirks(), profile: None }
    }

    settings!();

    /// What the server does differently from others, and how much it takes at once.
    pub fn quirks(self, quirks: Quirks) -> Self {
        Self { quirks, ..self }
    }

    /// Its vectors, limits and price; by default what is known of its name.
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile: Some(profile), ..self }
    }

    /// The embedder, ready to be asked.
    ///
    /// # Errors
    /// When the base URL, a header, an extra field or the proxy cannot be used.
    pub fn build(self) -> Result<HttpEmbedder, Error> {
        let (wire, setup) = (self.api.wire(), self.setup);
        let protocol = Protocol::Embeddings(self.api);
        let base_url = wire.base(&setup.base_url);
        let uri = address::endpoint(base_url, &wire.endpoint(&setup.model))?;
        setup.check_fields(protocol)?;
        let opened = setup.open(protocol, Method::POST, &uri)?;
        let Opened { client, access, address, request: template, secrets, exposed, presence } =
            opened;
        let maker = wire.provider();
        let mut profile =
            self.profile.unwrap_or_else(|| known(&setup.provider, maker, &setup.model));
        profile.price = setup.price(profile.price);
        Ok(HttpEmbedder {
            api: self.api,
            name: setup.name(),
            template,
            address,
            client,
            access,
            idempotency: setup.idempotency()?,
            tap: setup.tap(),
            presence,
            secrets,
            exposed,
            quirks: self.quirks,
            clock: setup.clock(),
            extra: setup.extra,
            timeouts: setup.timeouts,
            bounds: setup.bounds,
            retry: setup.retry,
            profile,
        })
    }
}
