//! Lifecycles: what Core does, how several are one, and what each may change.

mod admit;
mod composite;
mod core;
mod guarded;
mod strictness;

pub use self::admit::allowed;
pub(crate) use self::admit::{Refused, Rights, admit};
pub use self::composite::Composite;
pub use self::core::CoreLifecycle;
pub use self::strictness::Strictness;
pub use guarded::Guarded;
