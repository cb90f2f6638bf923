//! Masks the secrets in an event.

use serde_json::value::RawValue;

use super::Event;
use crate::mask::Mask;

impl Event {
    /// Masks each secret in its texts.
    pub(crate) fn mask(&mut self, mask: &Mask) {
        if !mask.is_in(self) {
            return;
        }
        let masked = serde_json::to_value(&*self).and_then(|mut body| {
            mask.cover(&mut body);
            RawValue::from_string(body.to_string())
        });
        // It fails to decode only if the secret is a word of the format, which is not a secret.
        if let Some(read) = masked.ok().and_then(|body| Self::decode(self.kind(), &body).ok()) {
            *self = read;
        }
    }
}
