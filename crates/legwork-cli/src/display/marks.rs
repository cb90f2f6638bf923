//! The marks that people see: signs, or words where signs cannot be shown or read.

/// The marks that people see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) done: &'static str,
    pub(crate) failed: &'static str,
    /// Between a call and its result.
    pub(crate) gives: &'static str,
    /// Where something is cut.
    pub(crate) more: &'static str,
    /// Between the parts of a line.
    pub(crate) dot: &'static str,
    pub(crate) bullet: &'static str,
    pub(crate) quote: &'static str,
    pub(crate) rule: &'static str,
    /// What moves.
    pub(crate) frames: &'static [&'static str],
}

/// Which signs a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signs {
    Unicode,
    /// Those of the Linux console, whose font has no Braille.
    Console,
    Ascii,
}

const UNICODE: Marks = Marks {
    done: "✓",
    failed: "✗",
    gives: "→",
    more: "…",
    dot: "·",
    bullet: "•",
    quote: "│ ",
    rule: "─",
    frames: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

const ASCII: Marks = Marks {
    done: "ok",
    failed: "failed",
    gives: "->",
    more: "...",
    dot: "-",
    bullet: "-",
    quote: "> ",
    rule: "-",
    frames: &["|", "/", "-", "\\"],
};

impl Marks {
    pub(crate) fn of(signs: Signs) -> Self {
        match signs {
            Signs::Unicode => UNICODE,
            Signs::Console => Self { frames: ASCII.frames, ..UNICODE },
            Signs::Ascii => ASCII,
        }
    }
}

impl Signs {
    /// Those of a locale and a kind of terminal; what is not said is UTF-8, as it is where
    /// nobody sets a locale up.
    pub(crate) fn of(locale: Option<&str>, term: Option<&str>) -> Self {
        let utf8 = |locale: &str| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        };
        match locale {
            Some(locale) if !utf8(locale) => Self::Ascii,
            _ if term == Some("linux") => Self::Console,
            _ => Self::Unicode,
        }
    }
}
