//! Embedding models by name, if no API that has them is compiled in.

use std::sync::Arc;

use legwork_port::Embedder;

use crate::error::Result;
use crate::model::{Problem, failed, split};

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

pub(super) fn from_env(name: &str) -> Result<Arc<dyn Embedder>> {
    split(name)?;
    Err(failed(name, Problem::Feature("openai")))
}

pub(super) fn at(name: &str, _: Option<&str>, _: Option<&str>) -> Result<Arc<dyn Embedder>> {
    from_env(name)
}
