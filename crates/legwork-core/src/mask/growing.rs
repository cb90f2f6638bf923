//! Secrets that become known while a program runs.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::spellings::{self, Spelling};
use super::{Mask, SHORTEST};

/// How many secrets are kept; the oldest of more is forgotten.
const MOST: usize = 16;

/// Secrets that become known while a program runs, such as tokens that are renewed.
///
/// Each is masked from then on, by the masks that were made before, too. A clone has the same
/// secrets. The last 16 are kept.
///
/// ```
/// use legwork_core::mask::Growing;
///
/// let tokens = Growing::default();
/// let mask = tokens.mask();
/// tokens.add("ya29-0123456789abcdef");
/// assert_eq!(mask.text("it is ya29-0123456789abcdef!"), "it is [redacted]!");
/// ```
#[derive(Clone, Default)]
pub struct Growing(Arc<RwLock<VecDeque<Secret>>>);

struct Secret {
    text: String,
    spellings: Vec<Spelling>,
}

impl Growing {
    /// Adds a secret; one that is shorter than [`SHORTEST`] is ignored, and one that is known is
    /// not added again.
    pub fn add(&self, secret: &str) {
        if secret.len() < SHORTEST || self.has(secret) {
            return;
        }
        let new = Secret { text: secret.to_owned(), spellings: spellings::of(secret) };
        let mut secrets = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if secrets.len() == MOST {
            secrets.pop_front();
        }
        secrets.push_back(new);
    }

    /// The mask of those that are known, and of those that will be.
    pub fn mask(&self) -> Mask {
        Mask { known: None, growing: Some([self.clone()].into()) }
    }

    fn has(&self, secret: &str) -> bool {
        let secrets = self.0.read().unwrap_or_else(PoisonError::into_inner);
        secrets.iter().any(|one| one.text == secret)
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(super) fn each(&self, look: impl FnMut(&Spelling)) {
        let secrets = self.0.read().unwrap_or_else(PoisonError::into_inner);
        secrets.iter().flat_map(|secret| &secret.spellings).for_each(look);
    }
}

/// Shows how many there are, not which.
impl fmt::Debug for Growing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secrets = self.0.read().unwrap_or_else(PoisonError::into_inner);
        write!(f, "Growing({} secrets)", secrets.len())
    }
}
