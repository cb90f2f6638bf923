//! A schema rewritten for a dialect.

mod object;
mod union;
mod walk;

use std::sync::Arc;

use serde_json::Value;

pub(super) use walk::DEFINITIONS;

use crate::schema::restore::restore;
use crate::schema::{Dialect, reference};

/// A schema in a dialect.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    json: Arc<Value>,
    full: Arc<Value>,
    dialect: Dialect,
    left_out: Vec<LeftOut>,
}

impl Fitted {
    /// The schema to send.
    pub fn json(&self) -> &Arc<Value> {
        &self.json
    }

    /// The dialect that it is written in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What the dialect cannot say: values are checked for it when they are there.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// A value of this schema as a value of the full one: properties that are null because the
    /// dialect requires them all are removed.
    pub fn restore(&self, mut value: Value) -> Value {
        if self.dialect == Dialect::OpenAi {
            restore(&self.full, &mut value);
        }
        value
    }
}

/// A keyword that a dialect does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// A JSON pointer to the schema that it was in.
    pub path: String,
    /// The keyword.
    pub keyword: String,
}

/// A schema that a dialect cannot express, not even without some of its keywords.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a schema of {dialect} cannot have {what} (at `#{path}`): use another mode than the native \
     schema, or another type"
)]
#[non_exhaustive]
pub struct Unfit {
    /// The dialect.
    pub dialect: Dialect,
    /// A JSON pointer to the part that cannot be expressed.
    pub path: String,
    /// What it is.
    pub what: &'static str,
}

pub(super) fn fit(full: &Arc<Value>, dialect: Dialect) -> Result<Fitted, Unfit> {
    let mut left_out = Vec::new();
    let json = if dialect == Dialect::Full {
        Arc::clone(full)
    } else {
        let mut walk = walk::Walk::new(full, dialect);
        let json = walk.root(reference::resolved(full, full))?;
        left_out = walk.left_out;
        Arc::new(json)
    };
    Ok(Fitted { json, full: Arc::clone(full), dialect, left_out })
}
