//! An event that holds no secret.

use serde_json::value::RawValue;

use super::Event;
use crate::mask::Mask;

impl Event {
    /// Lays a mask over each secret in its texts.
    pub(crate) fn mask(&mut self, mask: &Mask) {
        if !mask.is_in(self) {
            return;
        }
        let masked = serde_json::to_value(&*self).and_then(|mut body| {
            mask.cover(&mut body);
            RawValue::from_string(body.to_string())
        });
        // Masked it does not fit only where the secret is a word of the format, which is none.
        if let Some(read) = masked.ok().and_then(|body| Self::decode(self.kind(), &body).ok()) {
            *self = read;
        }
    }
}
