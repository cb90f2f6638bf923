//! Models by name, if no provider is compiled in.

use std::sync::Arc;

use legwork_port::Model;

use super::{Problem, failed, split};
use crate::error::Result;

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

pub(super) fn keys(_: &str) -> &'static [&'static str] {
    &[]
}

pub(super) fn from_env(name: &str) -> Result<Arc<dyn Model>> {
    split(name)?;
    Err(failed(name, Problem::Feature("openai")))
}

pub(super) fn at(name: &str, _: Option<&str>, _: Option<&str>) -> Result<Arc<dyn Model>> {
    from_env(name)
}
