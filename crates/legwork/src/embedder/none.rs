//! Embedding models by name, if no API that has them is compiled in.

use std::sync::Arc;

use legwork_port::Embedder;

use crate::error::{self, Result};
use crate::model::{failed, split};

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

pub(super) fn from_env(name: &str) -> Result<Arc<dyn Embedder>> {
    split(name)?;
    Err(failed(name, error::feature("openai")))
}

pub(super) fn at(name: &str, _: Option<&str>, _: Option<&str>) -> Result<Arc<dyn Embedder>> {
    from_env(name)
}
