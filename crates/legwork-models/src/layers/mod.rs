//! Layers: a model in, a model out.
//!
//! Each method of [`ModelExt`] puts one layer around a model, so a program reads from the inside
//! out: what comes first is closest to the model. `model.with_timeout(..).with_retry(..)` limits
//! the time of an attempt, `model.with_retry(..).with_timeout(..)` that of all attempts together.
//! A model over HTTP retries inside; a [`Fallback`] cuts that short where it has another model to
//! ask.
//!
//! ```
//! use std::time::Duration;
//!
//! use legwork_models::layers::{Breaker, MemoryCache, ModelExt as _, RateLimit};
//! use legwork_testkit::ScriptedModel;
//!
//! # let (large, small) = (ScriptedModel::new([]), ScriptedModel::new([]));
//! # #[cfg(feature = "clock")]
//! let model = large
//!     .with_rate_limit(RateLimit::per_minute().requests(60).tokens(100_000))
//!     .with_concurrency(4)
//!     .with_breaker(Breaker::after(5).open_for(Duration::from_secs(30)))
//!     .with_fallback(small)
//!     .on_refusal()
//!     .with_timeout(Duration::from_secs(120))
//!     .with_cache(MemoryCache::of_bytes(64 << 20));
//! ```
//!
//! The limits ([`RateLimit`], [`Permits`], [`Breaker`]) are shared by their clones: give the same
//! one to two models of the same account. Layers that wait go by the clock of the system; their
//! `new` takes another [`Clock`](legwork_port::Clock), and needs no feature.
//!
//! No layer has a task of its own, and none holds a lock while it waits. Dropping the future of an
//! inference gives back what it holds and what it waits for.

#[macro_use]
mod wrapped;
mod breaker;
mod bucket;
mod cache;
mod circuit;
mod concurrency;
mod continuation;
mod ext;
mod fallback;
mod permits;
mod pieces;
mod rate_limit;
mod recording;
mod redaction;
mod relay;
mod replay;
mod request;
mod several;
mod switch;
mod timeout;

pub use breaker::{Breaker, Breaking};
pub use cache::{Cache, Caching, MemoryCache};
pub use concurrency::Concurrent;
pub use continuation::{Continuation, Continuing};
pub use ext::ModelExt;
pub use fallback::Fallback;
pub use permits::{Permit, Permits};
pub use rate_limit::{RateLimit, RateLimiting};
pub use recording::{Recorder, Recording};
pub use redaction::{Redacting, Redaction};
pub use replay::{Replay, Unreadable};
pub use switch::Switch;
pub use timeout::{Timeout, TimingOut};
