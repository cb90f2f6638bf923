//! Agents and skills as files: Markdown, YAML and JSON, read, checked and written.
//!
//! It is deliberately data only: it makes no agent, runs nothing and knows no model.
#![forbid(unsafe_code)]
