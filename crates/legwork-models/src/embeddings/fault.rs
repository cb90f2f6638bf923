//! What can be wrong with the vectors of an answer.

/// What is wrong with the vectors of an answer; texts are counted from 0, in their request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There are more or fewer vectors than texts.
    #[error("{vectors} vectors came for {texts} texts")]
    Count {
        /// Texts of the request.
        texts: usize,
        /// Vectors of the answer.
        vectors: usize,
    },
    /// Two vectors are for one text, or one for a text that was not sent.
    #[error("two vectors are for the text {text}, or it was not sent")]
    Index {
        /// The text.
        text: u64,
    },
    /// A vector says which text it is for, and another one does not.
    #[error("some vectors say which text they are for, and others do not")]
    Unnumbered,
    /// A vector is longer or shorter than another one.
    #[error("the vector of the text {text} has {numbers} numbers, another one has {others}")]
    Length {
        /// The text.
        text: usize,
        /// Numbers of its vector.
        numbers: usize,
        /// Numbers of the vectors before it.
        others: usize,
    },
    /// Vectors have another length than the request asked for.
    #[error("vectors have {numbers} numbers, and {asked} were asked for")]
    Dimensions {
        /// What was asked for.
        asked: u32,
        /// What came.
        numbers: usize,
    },
    /// A vector holds something that is not a finite number.
    #[error("the vector of the text {text} holds something that is not a finite number")]
    NotFinite {
        /// The text.
        text: usize,
    },
    /// A vector has no numbers.
    #[error("the vector of the text {text} is empty")]
    Empty {
        /// The text.
        text: usize,
    },
    /// A vector is text, and not the base64 of numbers.
    #[error("the vector of the text {text} is not the base64 of numbers of four bytes")]
    Base64 {
        /// The text.
        text: usize,
    },
}
