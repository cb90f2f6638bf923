//! What the elements of HTML mean for its text.

/// What an element means for the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Its content is left out.
    LeftOut,
    /// The title of the page, if it is the first.
    Title,
    /// Begins a line of its own.
    Line,
    /// Begins a paragraph.
    Paragraph,
    /// A heading of a level.
    Heading(usize),
    /// Ends a line.
    Break,
    /// A line across the page.
    Rule,
    /// A list.
    List(Numbers),
    /// An item of a list.
    Item,
    /// Text that is set in.
    Quote,
    /// Text whose spaces and line breaks count.
    Preformatted,
    /// Code within a line.
    Code,
    /// Text that is marked with these characters.
    Marked(&'static str),
    Link,
    Picture,
    Table,
    Row,
    /// A cell of a table.
    Cell(Head),
    /// The main content of the page.
    Main,
    /// Nothing.
    Inline,
}

/// Whether items of a list are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    Numbered,
    Plain,
}

/// Whether a cell is a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    Yes,
    No,
}

impl Meaning {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "script" | "style" | "noscript" | "template" | "svg" | "math" | "iframe" | "object"
            | "select" | "textarea" | "button" | "canvas" | "audio" | "video" | "datalist"
            | "noembed" | "noframes" => Self::LeftOut,
            "title" => Self::Title,
            "h1" => Self::Heading(1),
            "h2" => Self::Heading(2),
            "h3" => Self::Heading(3),
            "h4" => Self::Heading(4),
            "h5" => Self::Heading(5),
            "h6" => Self::Heading(6),
            "p" | "dl" | "figure" | "fieldset" | "details" | "address" => Self::Paragraph,
            "div" | "section" | "article" | "header" | "footer" | "nav" | "aside" | "form"
            | "dt" | "dd" | "summary" | "figcaption" | "caption" | "legend" | "hgroup"
            | "search" | "body" | "center" | "option" | "label" => Self::Line,
            "br" => Self::Break,
            "hr" => Self::Rule,
            "ul" | "menu" | "dir" => Self::List(Numbers::Plain),
            "ol" => Self::List(Numbers::Numbered),
            "li" => Self::Item,
            "blockquote" => Self::Quote,
            "pre" | "listing" | "xmp" | "plaintext" => Self::Preformatted,
            "code" | "kbd" | "samp" | "tt" => Self::Code,
            "strong" | "b" => Self::Marked("**"),
            "em" | "i" => Self::Marked("*"),
            "del" | "s" | "strike" => Self::Marked("~~"),
            "a" => Self::Link,
            "img" => Self::Picture,
            "table" => Self::Table,
            "tr" => Self::Row,
            "td" => Self::Cell(Head::No),
            "th" => Self::Cell(Head::Yes),
            "main" => Self::Main,
            _ => Self::Inline,
        }
    }
}

/// Whether an element with the attribute `hidden` is left out: one that has to be closed, so that
/// its end is known.
pub(super) fn may_hide(name: &str) -> bool {
    matches!(
        name,
        "div" | "span" | "section" | "article" | "aside" | "nav" | "ul" | "ol" | "table" | "form"
    )
}
