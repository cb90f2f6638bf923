//! The search engines that ship, as data.

/// A search engine: where it is, how it is asked, where its results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Engine {
    /// Its name in settings.
    pub name: &'static str,
    /// Its address; empty if only the user's own server has one.
    pub base_url: &'static str,
    /// The variable that may hold its key.
    pub variable: &'static str,
    /// Whether it needs a key.
    pub key: KeyNeed,
    /// The path behind the address.
    pub(super) path: &'static str,
    pub(super) sends_key: SendsKey,
    pub(super) asks: Asks,
    /// The field of the words, and that of the number of results; empty if it takes none.
    pub(super) text: &'static str,
    pub(super) count: &'static str,
    /// The most results that it gives at once.
    pub(super) most: usize,
    /// Fields that are always sent; those of JSON are JSON.
    pub(super) fixed: &'static [(&'static str, &'static str)],
    /// The pointer to its results.
    pub(super) results: &'static str,
    /// The fields of a result.
    pub(super) title: &'static str,
    pub(super) url: &'static str,
    pub(super) snippet: &'static str,
    /// The fields of its date, the first that is there counts.
    pub(super) dates: &'static [&'static str],
}

/// Whether an engine needs a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyNeed {
    /// It answers nobody without one.
    Required,
    /// It may have one.
    Optional,
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SendsKey {
    /// In a header of this name.
    Header(&'static str),
    /// As a bearer token.
    Bearer,
}

/// How an engine is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// By a query in the URL.
    Query,
    /// By JSON that is posted.
    Json,
}

/// The search engines that ship.
///
/// Brave: api-dashboard.search.brave.com, Web Search. Tavily: docs.tavily.com, Search.
/// SearXNG: docs.searxng.org, Search API; its server has to allow the format `json`.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "brave",
        base_url: "https://api.search.brave.com/res/v1",
        variable: "BRAVE_API_KEY",
        key: KeyNeed::Required,
        path: "web/search",
        sends_key: SendsKey::Header("x-subscription-token"),
        asks: Asks::Query,
        text: "q",
        count: "count",
        most: 20,
        fixed: &[("result_filter", "web"), ("text_decorations", "false")],
        results: "/web/results",
        title: "title",
        url: "url",
        snippet: "description",
        dates: &["page_age", "age"],
    },
    Engine {
        name: "tavily",
        base_url: "https://api.tavily.com",
        variable: "TAVILY_API_KEY",
        key: KeyNeed::Required,
        path: "search",
        sends_key: SendsKey::Bearer,
        asks: Asks::Json,
        text: "query",
        count: "max_results",
        most: 20,
        fixed: &[("search_depth", "\"basic\""), ("include_answer", "false")],
        results: "/results",
        title: "title",
        url: "url",
        snippet: "content",
        dates: &["published_date"],
    },
    Engine {
        name: "searxng",
        base_url: "",
        variable: "SEARXNG_API_KEY",
        key: KeyNeed::Optional,
        path: "search",
        sends_key: SendsKey::Bearer,
        asks: Asks::Query,
        text: "q",
        count: "",
        most: 50,
        fixed: &[("format", "json")],
        results: "/results",
        title: "title",
        url: "url",
        snippet: "content",
        dates: &["publishedDate"],
    },
];

/// The engine of a name.
#[must_use]
pub fn engine(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| engine.name == name)
}
