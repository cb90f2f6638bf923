//! Tools for the web: `fetch` reads a page as text, `web_search` asks a search engine.
//!
//! It is deliberately no browser and no crawler: it runs no scripts, sends no cookies and no
//! credentials, and asks for one page at a time. It reads no environment; what it may reach is
//! handed in as a [`Policy`]. It knows nothing of the loop that calls the tools.
//!
//! ```
//! use legwork_port::Tool;
//! use legwork_port::network::Network;
//! use legwork_web::{Client, Fetch, Policy};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = Policy::new(Network::hosts(["docs.rs", "*.rust-lang.org"])?);
//! let fetch = Fetch::new(Client::new(policy)?);
//! assert_eq!(&*fetch.spec().name, "fetch");
//! # Ok(())
//! # }
//! ```
//!
//! Read the modules in this order: [`address`] (of a page), [`policy`] (what may be reached),
//! [`client`] (connections to checked addresses, redirects, limits), [`page`] (bytes as text),
//! [`fetch`], [`search`].

pub mod address;
pub mod client;
pub mod fetch;
pub mod page;
pub mod policy;
pub mod search;

pub use address::Address;
pub use client::{Client, Limits, Resolver};
pub use fetch::Fetch;
pub use policy::Policy;
pub use search::{SearchProvider, WebSearch};
