//! Tools of servers that speak the Model Context Protocol.
//!
//! ```no_run
//! use legwork::mcp::{Endpoint, Program, Server};
//! use legwork::prelude::*;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let memory = Program::unconfined("mcp-server-memory").env("MEMORY_FILE_PATH", "/tmp/m.json");
//! let docs = Endpoint::new("https://mcp.example.com/mcp")?;
//! let agent = Agent::builder(model::from_env("openai:gpt-5-mini")?)
//!     .toolset(Server::new("memory", memory).trusted())
//!     .toolset(Server::new("docs", docs).only(["search"]))
//!     .build()?;
//! println!("{}", agent.run("What do you remember of me?").await?.text());
//! # Ok(())
//! # }
//! ```

pub use legwork_mcp::*;

#[cfg(feature = "tools")]
mod confined;

#[cfg(feature = "tools")]
pub use confined::Confined;
