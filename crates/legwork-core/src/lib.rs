//! The pure core of Legwork: messages, events, state and the journal format
