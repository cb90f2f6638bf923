//! Medians and spreads.

use serde::Serialize;

/// The median of some figures, and their spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    /// The median.
    pub(crate) median: f64,
    /// The first quartile.
    pub(crate) q1: f64,
    /// The third quartile.
    pub(crate) q3: f64,
    /// The smallest.
    pub(crate) min: f64,
    /// The largest.
    pub(crate) max: f64,
}

impl Spread {
    /// The spread of these figures; none if there are no figures.
    pub(crate) fn of(figures: &[f64]) -> Option<Self> {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            median: quantile(&sorted, 0.5)?,
            q1: quantile(&sorted, 0.25)?,
            q3: quantile(&sorted, 0.75)?,
            min: *sorted.first()?,
            max: *sorted.last()?,
        })
    }

    /// The ratio of two medians, with the spread of the ratios pair by pair.
    ///
    /// Both lists are in the order of the rounds, because a disturbance affects
    /// both sides of a round.
    pub(crate) fn ratio(above: &[f64], below: &[f64]) -> Option<Self> {
        let pairs: Vec<_> = above.iter().zip(below).map(|(a, b)| a / b).collect();
        Some(Self { median: median(above)? / median(below)?, ..Self::of(&pairs)? })
    }
}

/// The median; none if there are no figures.
pub(crate) fn median(figures: &[f64]) -> Option<f64> {
    Some(Spread::of(figures)?.median)
}

/// The quantile of sorted figures, interpolated linearly; `fraction` is from 0 to 1.
fn quantile(sorted: &[f64], fraction: f64) -> Option<f64> {
    let place = sorted.len().checked_sub(1)? as f64 * fraction;
    let (low, high) = (place.floor(), place.ceil());
    let (below, above) = (sorted.get(low as usize)?, sorted.get(high as usize)?);
    Some(below + (above - below) * (place - low))
}

#[cfg(test)]
mod tests;
