//! The façade, tested from outside.

mod tool;
