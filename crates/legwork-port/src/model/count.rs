//! How many tokens a request has.

use legwork_core::ModelRequest;

/// How many input tokens a request has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// As the provider counted.
    Exact(u64),
    /// As was estimated from its text, rather too many than too few.
    Estimated(u64),
}

impl Count {
    /// The estimate that a budget reserves: [`ModelRequest::estimated_tokens`].
    pub fn estimate(request: &ModelRequest) -> Self {
        Self::Estimated(request.estimated_tokens())
    }

    /// The number of tokens.
    pub fn tokens(self) -> u64 {
        match self {
            Self::Exact(tokens) | Self::Estimated(tokens) => tokens,
        }
    }

    /// Whether the provider counted them.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Exact(_))
    }
}
