//! Transforms of closures.

use std::ops::Range;

use crate::transform::{Cx, Extended, Transform};
use crate::unit::Unit;
use crate::view::View;

/// A transform of a closure that shortens units one by one.
pub struct Each<F> {
    name: String,
    priority: i32,
    change: F,
}

/// A transform that shortens units one by one: `change` returns the shorter unit.
///
/// What is held is not asked about.
pub fn each<F>(name: impl Into<String>, priority: i32, change: F) -> Each<F>
where
    F: Fn(&Unit, &Cx<'_>) -> Option<Unit> + Send + Sync,
{
    Each { name: name.into(), priority, change }
}

impl<F> Transform for Each<F>
where
    F: Fn(&Unit, &Cx<'_>) -> Option<Unit> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn extend(&self, view: &mut View, added: Range<usize>, cx: &Cx<'_>) -> Extended {
        for index in added {
            let unit = view.get(index).filter(|unit| !unit.is_held());
            if let Some(shorter) = unit.and_then(|unit| (self.change)(unit, cx)) {
                view.shorten(index, shorter);
            }
        }
        Extended::Done
    }
}

/// A transform of a closure that is given the whole conversation at each step.
pub struct Whole<F> {
    name: String,
    priority: i32,
    change: F,
}

/// A transform that is given the whole conversation at each step, which costs its length.
///
/// It must leave the same beginning as long as it can: what it changes there is lost to the
/// provider's prompt cache.
pub fn whole<F>(name: impl Into<String>, priority: i32, change: F) -> Whole<F>
where
    F: Fn(&mut View, &Cx<'_>) + Send + Sync,
{
    Whole { name: name.into(), priority, change }
}

impl<F> Transform for Whole<F>
where
    F: Fn(&mut View, &Cx<'_>) + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn extend(&self, _: &mut View, _: Range<usize>, _: &Cx<'_>) -> Extended {
        Extended::Rebuild
    }

    fn rebuild(&self, view: &mut View, cx: &Cx<'_>) {
        (self.change)(view, cx);
    }
}
