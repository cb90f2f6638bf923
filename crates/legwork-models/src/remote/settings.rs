//! The settings that the builders of models and of embedders share, as methods of both.

/// Methods of a builder that has a `Setup` in its field `setup`.
macro_rules! settings {
    () => {
        /// The key, sent as the API wants it; without one none is sent.
        pub fn api_key(mut self, key: impl Into<String>) -> Self {
            self.setup.key = Some(key.into());
            self
        }

        /// A bearer token, for servers that take one in place of the API's own key, such as
        /// Vertex AI.
        pub fn bearer(mut self, token: impl Into<String>) -> Self {
            self.setup.token = Some(token.into());
            self
        }

        /// Where each attempt gets its credential; it takes precedence over a key or a token.
        ///
        /// What it gives is masked in errors, and in all that the `mask` of what is built covers.
        pub fn credentials(
            mut self,
            credentials: std::sync::Arc<dyn $crate::credentials::Credentials>,
        ) -> Self {
            self.setup.credentials = Some(credentials);
            self.setup.is_credential_sent = true;
            self
        }

        /// The name before the colon in the model's name; by default that of the API's maker.
        pub fn provider(mut self, provider: impl Into<String>) -> Self {
            self.setup.provider = provider.into();
            self
        }

        /// Adds a header to each request; the value is masked if the name says that it is a
        /// secret.
        pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            self.setup.headers.push((name.into(), value.into()));
            self
        }

        /// Adds a field to the body of each request.
        pub fn field(
            mut self,
            name: impl Into<String>,
            value: impl Into<serde_json::Value>,
        ) -> Self {
            self.setup.extra.insert(name.into(), value.into());
            self
        }

        /// How long the parts of an exchange may take.
        pub fn timeouts(mut self, timeouts: $crate::http::Timeouts) -> Self {
            self.setup.timeouts = timeouts;
            self
        }

        /// How much of one answer is read and kept.
        pub fn bounds(mut self, bounds: $crate::Bounds) -> Self {
            self.setup.bounds = bounds;
            self
        }

        /// How often and how patiently a request is tried again.
        pub fn retry(mut self, retry: $crate::retry::Policy) -> Self {
            self.setup.retry = retry;
            self
        }

        /// Gives each request a key in this header, the same one in all its attempts, by which the
        /// server can tell a repeated request from a new one.
        ///
        /// Off by default: a server that does not know the header may refuse it.
        ///
        /// ```
        /// # use legwork_models::openai;
        /// let model = openai::chat("https://api.example.com/v1", "a-model")
        ///     .idempotency_header("Idempotency-Key")
        ///     .build()?;
        /// # drop(model);
        /// # Ok::<(), legwork_models::Error>(())
        /// ```
        pub fn idempotency_header(mut self, name: impl Into<String>) -> Self {
            self.setup.key_header = Some(name.into());
            self
        }

        /// Where the keys of requests come from, each of which has to be new; random by default.
        pub fn idempotency_keys(
            mut self,
            keys: impl Fn() -> String + Send + Sync + 'static,
        ) -> Self {
            self.setup.request_keys = Some(std::sync::Arc::new(keys));
            self
        }

        /// The clock that waits and time limits go by; the machine's by default.
        pub fn clock(mut self, clock: std::sync::Arc<dyn legwork_port::Clock>) -> Self {
            self.setup.clock = Some(clock);
            self
        }

        /// Observes each request as it is sent and each answer as it arrives, for debugging.
        ///
        /// It is called on the task that waits for the answer, and should be quick. Nothing of it
        /// is journaled; secrets in headers are replaced, bodies are as they are.
        ///
        /// ```
        /// use legwork_models::openai;
        /// use legwork_models::remote::Piece;
        ///
        /// let model = openai::chat("https://api.openai.com/v1", "gpt-5-mini")
        ///     .traffic(|traffic| match &traffic.piece {
        ///         Piece::Request { url, body, .. } => {
        ///             eprintln!("{}: {url}\n{}", traffic.attempt, String::from_utf8_lossy(body));
        ///         }
        ///         Piece::Bytes(bytes) => eprint!("{}", String::from_utf8_lossy(bytes)),
        ///         _ => {}
        ///     })
        ///     .build()?;
        /// # let _ = model;
        /// # Ok::<(), legwork_models::remote::Error>(())
        /// ```
        pub fn traffic(
            mut self,
            observer: impl Fn(&$crate::remote::Traffic<'_>) + Send + Sync + 'static,
        ) -> Self {
            self.setup.traffic = Some(std::sync::Arc::new(observer));
            self
        }

        /// A catalogue of one's own: what it says of the model counts, whatever its profile says.
        pub fn catalogue(mut self, catalogue: $crate::Catalogue) -> Self {
            self.setup.catalogue = catalogue;
            self
        }

        /// Its tokens cost nothing, whatever its profile says, so that a limit on money works.
        pub fn free(mut self) -> Self {
            self.setup.is_free = true;
            self
        }

        /// The proxies that requests go through, if any does; none by default.
        ///
        /// Needs the feature `proxy`.
        #[cfg(feature = "proxy")]
        pub fn proxies(mut self, proxies: $crate::http::Proxies) -> Self {
            self.setup.proxies = proxies;
            self
        }
    };
}

pub(super) use settings;
