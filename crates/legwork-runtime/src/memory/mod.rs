//! The ports in memory: a store, the system's clock, random names.

mod claim;
mod clock;
mod ids;
mod lines;
mod store;

pub use clock::SystemClock;
pub use ids::RandomIds;
pub use store::MemoryStore;
