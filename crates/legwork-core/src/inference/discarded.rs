//! Answers that were paid for and discarded.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::inference::Usage;
use crate::money::MicroUsd;

/// An answer that was discarded, after which another model was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Discarded {
    /// The model that gave it, as `provider:model`.
    pub model: Arc<str>,
    /// The tokens that it used.
    pub usage: Usage,
    /// What these cost; none if the price of the model is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<MicroUsd>,
}
