//! What the generation of a model changes in a request.

/// A generation of models, by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generation {
    /// Up to Gemini 2.5, and models that are no Gemini: thinking has a budget of tokens.
    Second,
    /// From Gemini 3 on: thinking has a level, and calls must be signed.
    Third,
}

impl Generation {
    /// The generation of a model; a name without a number, such as `gemini-flash-latest`, is that
    /// of a new one.
    pub(super) fn of(model: &str) -> Self {
        let older = ["gemini-1", "gemini-2", "gemini-exp", "gemini-pro", "gemini-embedding"];
        match model.strip_prefix("gemini-") {
            Some(_) if !older.iter().any(|older| model.starts_with(older)) => Self::Third,
            _ => Self::Second,
        }
    }
}

#[cfg(test)]
mod tests;
