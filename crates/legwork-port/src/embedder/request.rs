//! What an embedder is asked.

use serde_json::{Map, Value};

/// Texts that are to become vectors.
///
/// ```
/// use legwork_port::embedder::{Purpose, Request};
///
/// let stored = Request::documents(["A cat sat on the mat.", "Interest rates rose again."]);
/// let asked = Request::query("What did the cat do?").with_dimensions(256);
/// assert_eq!((stored.texts.len(), asked.purpose), (2, Some(Purpose::Query)));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Request {
    /// The texts, each of which gets a vector.
    pub texts: Vec<String>,
    /// What the vectors are for; none leaves it to the provider.
    ///
    /// A provider that makes one vector for all purposes does not look at it.
    pub purpose: Option<Purpose>,
    /// Numbers of each vector; none = as many as the model usually gives.
    pub dimensions: Option<u32>,
    /// Further fields of the provider's request, by the names that its API has for them.
    pub extra: Map<String, Value>,
}

impl Request {
    /// Texts for no purpose in particular.
    pub fn new<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self { texts: texts.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Texts in which something will be searched.
    pub fn documents<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::new(texts).with_purpose(Purpose::Document)
    }

    /// A text that searches in [documents](Self::documents).
    pub fn query(text: impl Into<String>) -> Self {
        Self::new([text]).with_purpose(Purpose::Query)
    }

    /// The same for a purpose.
    #[must_use]
    pub fn with_purpose(self, purpose: Purpose) -> Self {
        Self { purpose: Some(purpose), ..self }
    }

    /// The same for vectors of so many numbers.
    #[must_use]
    pub fn with_dimensions(self, dimensions: u32) -> Self {
        Self { dimensions: Some(dimensions), ..self }
    }

    /// The same with a further field of the provider's request.
    #[must_use]
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }
}

/// What vectors are for: a query and its documents may be made differently, to lie close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// The text searches in documents.
    Query,
    /// The text is searched.
    Document,
    /// The text is a question that documents answer.
    Question,
    /// The text is a claim that documents support or refute.
    Claim,
    /// The text searches in code, which is embedded as documents.
    CodeQuery,
    /// Texts are compared for what they mean.
    Similarity,
    /// Texts are put into known classes.
    Classification,
    /// Texts are put into groups.
    Clustering,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Query,
        Self::Document,
        Self::Question,
        Self::Claim,
        Self::CodeQuery,
        Self::Similarity,
        Self::Classification,
        Self::Clustering,
    ];

    /// Its name, such as `code_query`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Document => "document",
            Self::Question => "question",
            Self::Claim => "claim",
            Self::CodeQuery => "code_query",
            Self::Similarity => "similarity",
            Self::Classification => "classification",
            Self::Clustering => "clustering",
        }
    }
}
