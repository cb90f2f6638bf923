//! Model providers of Legwork, one module and one feature each.
#![forbid(unsafe_code)]

pub mod http;
#[cfg(feature = "openai")]
pub mod openai;
pub mod retry;
pub mod sse;
