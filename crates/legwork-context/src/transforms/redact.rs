//! Replaces texts that a model must not read.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use legwork_core::Mask;

use crate::transform::{Cx, Extended, Transform};
use crate::view::View;

type Change = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Replaces texts in all messages, in arguments and results too, also in what is pinned.
///
/// The journal keeps what was said: to keep a secret out of it, use the mask of the agent.
#[derive(Clone)]
pub struct Redact(Arc<Change>);

impl Redact {
    /// Replaces the secrets of a mask, in all their spellings.
    pub fn by_mask(mask: Mask) -> Self {
        Self::by(move |text| match mask.text(text) {
            Cow::Owned(masked) if masked != text => Some(masked),
            _ => None,
        })
    }

    /// Replaces each text for which `change` returns another one.
    ///
    /// It is asked for each text of each message once. It must return the same for the same
    /// text. For the arguments of a call it is given their JSON, and must return JSON.
    pub fn by(change: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(change))
    }
}

impl Transform for Redact {
    fn name(&self) -> &str {
        "redact"
    }

    fn priority(&self) -> i32 {
        100
    }

    fn extend(&self, view: &mut View, added: Range<usize>, _: &Cx<'_>) -> Extended {
        for index in added {
            let Some(unit) = view.get(index) else { break };
            if let Some(redacted) = unit.map_texts(&*self.0) {
                view.mask(index, redacted);
            }
        }
        Extended::Done
    }
}

impl fmt::Debug for Redact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redact")
    }
}
