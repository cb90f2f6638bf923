//! Lifecycles: what Core does, and how several are one.

mod composite;
mod core;

pub use self::composite::Composite;
pub use self::core::CoreLifecycle;
