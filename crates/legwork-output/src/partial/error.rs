//! Why a text is not JSON.

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset}: {kind}")]
#[non_exhaustive]
pub struct Error {
    /// The offset of the first byte that does not fit, from 0.
    pub offset: usize,
    /// What is wrong there.
    pub kind: Kind,
}

/// What is wrong with a JSON text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Kind {
    /// A character that cannot stand there.
    #[error("expected {expected}, found {found:?}")]
    Unexpected {
        /// The character.
        found: char,
        /// What can stand there.
        expected: &'static str,
    },
    /// A number that is malformed, or outside the range of a 64-bit float.
    #[error("not a number of JSON: `{0}`")]
    Number(String),
    /// A word that is not a literal.
    #[error("not a literal of JSON: `{0}`; texts need quotes")]
    Word(String),
    /// An escape sequence that JSON does not have.
    #[error("an invalid escape sequence in a text: `\\{0}`")]
    Escape(char),
    /// A control character in a text that is not escaped.
    #[error("a control character in a text, {0:?}: it has to be escaped")]
    Control(char),
    /// Half of a surrogate pair.
    #[error("half of a surrogate pair in a text: `\\u{0:04x}`")]
    Surrogate(u16),
    /// Bytes that are not UTF-8.
    #[error("not UTF-8")]
    Encoding,
    /// Arrays and objects are nested too deeply.
    #[error("nested deeper than {0} arrays and objects")]
    Depth(usize),
    /// The text ends before the value does.
    #[error("the text ends before its value is complete")]
    Unfinished,
    /// The text has no value.
    #[error("the text has no value")]
    Empty,
}
