//! The tool `web_search`, over a port that search engines implement.

mod engine;
mod error;
mod http;
mod tool;

use legwork_port::BoxFuture;

pub use engine::{ENGINES, Engine, KeyNeed, engine};
pub use error::Error;
pub use http::HttpSearch;
pub use tool::{TOOL, WebSearch};

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// The words.
    pub text: String,
    /// How many results there shall be at most.
    pub count: usize,
}

impl Query {
    /// Words, and how many results there shall be at most.
    #[must_use]
    pub fn new(text: impl Into<String>, count: usize) -> Self {
        Self { text: text.into(), count }
    }
}

/// A result of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Hit {
    /// The title of the page; may be empty.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What the engine shows of it; may be empty.
    pub snippet: String,
    /// When it was published or changed, as the engine says it; may be empty.
    pub date: String,
}

impl Hit {
    /// A page, by its address.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }

    /// The same with a title and what is shown of it.
    #[must_use]
    pub fn titled(self, title: impl Into<String>, snippet: impl Into<String>) -> Self {
        Self { title: title.into(), snippet: snippet.into(), ..self }
    }
}

/// A search engine.
pub trait SearchProvider: Send + Sync {
    /// Its name, for people and models.
    fn name(&self) -> &str;

    /// The results of a query, the best first; none if nothing was found.
    ///
    /// Dropping the future ends the request.
    ///
    /// # Errors
    /// When the engine cannot be reached, refuses the request, or gives no results that can be
    /// read.
    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>>;
}
