//! Money.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Money in millionths of a US dollar.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MicroUsd(pub u64);

impl MicroUsd {
    /// From US dollars, rounded to a millionth; negative values and NaN are zero.
    pub fn from_usd(usd: f64) -> Self {
        // `as` saturates and maps NaN to zero, which is what is documented here.
        Self((usd * 1e6).round() as u64)
    }
}

impl fmt::Display for MicroUsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:06}", self.0 % 1_000_000);
        // Cents always, finer digits only if they are not zero.
        let fine = text.trim_end_matches('0');
        write!(f, "${}.{fine:0<2}", self.0 / 1_000_000)
    }
}
