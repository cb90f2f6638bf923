//! The models that a server offers: `GET /models`.

use std::pin::pin;

use bytes::Bytes;
use http_body_util::Full;
use legwork_port::model::Error;
use serde_json::Value;

use super::builder::{self, Builder};
use super::failure::Tried;
use super::question::ask;
use super::secrets::Secrets;
use super::setup::Opened;
use crate::http::{Limits, Watch};

/// Where servers put the number of tokens in a model's window.
const WINDOWS: [&str; 7] = [
    "/context_length",
    "/context_window",
    "/inputTokenLimit",
    "/max_context_length",
    "/max_model_len",
    "/meta/n_ctx",
    "/meta/n_ctx_train",
];

/// A model that a server offers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offered {
    /// Its name without the provider, as requests give it.
    pub id: String,
    /// Tokens that its window holds, if the server says.
    pub context_window: Option<u64>,
}

impl Offered {
    fn masked(self, secrets: &Secrets) -> Self {
        Self { id: secrets.masked(self.id), ..self }
    }
}

impl Builder {
    /// Asks the server which models it offers, in its order. Asks once, within the
    /// builder's time limits; the model's name plays no part.
    ///
    /// # Errors
    /// When the address or key cannot be used, no answer comes, or the server refuses.
    pub async fn offered(&self) -> Result<Vec<Offered>, Unavailable> {
        let (protocol, opened) = self.question("models")?;
        let Opened { client, access, address, mut request, secrets, .. } = opened;
        let proxy = client.proxy();
        let tried = Tried { protocol, model: "which models there are", address: &address, proxy };
        let (limit, clock) = (self.setup.timeouts.first_byte, self.setup.clock());
        let asking = async {
            if let Some(access) = &access {
                let opened = access.open(&mut request, &Bytes::new(), &*clock).await;
                opened.map_err(|problem| tried.not_allowed(&problem))?;
            }
            let request = Box::new(request.map(|()| Full::default()));
            let list = ask(&*clock, &client, request, tried, self.setup.bounds).await?;
            offered(&list).ok_or_else(|| tried.no_list())
        };
        let answer = Watch::new(&*clock, Limits::of_wait(limit)).next(pin!(asking)).await;
        let secrets = match &access {
            None => secrets,
            Some(access) => secrets.with(access.secrets()),
        };
        match answer {
            Ok(Ok(offered)) => Ok(offered.into_iter().map(|one| one.masked(&secrets)).collect()),
            Ok(Err(error)) => Err(Unavailable::Model(secrets.of_error(error))),
            Err(_) => Err(Unavailable::Model(tried.too_slow(limit))),
        }
    }
}

/// Why it is not known which models there are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The address, key or a header cannot be used.
    #[error(transparent)]
    Setup(#[from] builder::Error),
    /// No answer came, or the server refused.
    #[error(transparent)]
    Model(Error),
}

/// The models of a list; none if the body is not a list of models.
fn offered(body: &Value) -> Option<Vec<Offered>> {
    let list = body.get("data").or_else(|| body.get("models")).unwrap_or(body).as_array()?;
    let one = |entry: &Value| {
        let id = entry.get("id").or_else(|| entry.get("name")).unwrap_or(entry).as_str()?;
        let context_window = WINDOWS.iter().find_map(|path| entry.pointer(path)?.as_u64());
        // Google names the resource, of which requests want the last part.
        let id = id.strip_prefix("models/").unwrap_or(id);
        Some(Offered { id: id.to_owned(), context_window })
    };
    Some(list.iter().filter_map(one).collect())
}

#[cfg(test)]
mod tests;
