//! An agent without a model, and one call of each feature that is on: the linker keeps what it
//! needs.

use std::error::Error;

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let said = std::env::args().nth(1).unwrap_or_default();
    let agent = Agent::builder(NoModel).driver(Scripted::new([Line::text(said.clone())]));
    #[cfg(any(feature = "anthropic", feature = "bedrock", feature = "gemini", feature = "openai"))]
    let agent = agent.further_model(std::sync::Arc::new(model::from_env(&said)?));
    #[cfg(any(feature = "jsonl", feature = "postgres", feature = "redis", feature = "sqlite"))]
    let agent = agent.store(said.as_str());
    #[cfg(feature = "tools")]
    let agent = {
        use legwork::capability::{Bash, Coding};
        use legwork::tools::sandbox::Policy;
        use legwork::tools::{Environment, Sandbox, Workspace};
        let environment = Environment::default();
        let sandbox = Sandbox::auto(&environment, Policy::default());
        let bash = Bash::new(Workspace::open(&said)?, environment, sandbox);
        agent.capability(Coding::of(bash))
    };
    #[cfg(feature = "web")]
    let agent = {
        use legwork::port::network::Network;
        use legwork::web::search::HttpSearch;
        use legwork::web::{Client, Policy};
        let search = HttpSearch::new("tavily", Some(&said), None)?;
        let client = Client::new(Policy::new(Network::All))?;
        agent.capability(legwork::capability::Web::new(client).search(search))
    };
    #[cfg(feature = "mcp")]
    let agent = {
        use legwork::mcp::{Endpoint, Program, Server};
        let docs = Endpoint::new(&said)?;
        #[cfg(feature = "oauth")]
        let docs = {
            use legwork::mcp::oauth::{FileStore, Login};
            docs.authorized(Login::new(FileStore::new(&said)))
        };
        let memory = Program::unconfined(&said);
        agent.toolset(Server::new("memory", memory)).toolset(Server::new("docs", docs))
    };
    #[cfg(feature = "otel")]
    let agent = {
        let telemetry = legwork::otel::Otlp::to(&said).start()?;
        agent.observer(telemetry.clone()).lifecycle(telemetry)
    };
    let agent = agent.build()?;
    #[cfg(feature = "acp")]
    legwork::acp::Server::new(agent.clone()).serve(tokio::io::stdin(), tokio::io::stdout()).await?;
    #[cfg(feature = "mcp-server")]
    {
        use legwork::mcp_server::{Access, Agents, Server};
        let server = Server::new(Agents::new(agent.clone()));
        server.serve(tokio::io::stdin(), tokio::io::stdout()).await?;
        let listener = tokio::net::TcpListener::bind(&said).await?;
        server.serve_http(listener, Access::Local, &legwork::port::Cancellation::new()).await?;
    }
    #[cfg(feature = "worker")]
    legwork::worker::Worker::new(
        std::sync::Arc::clone(agent.store()),
        legwork::worker::Agents::new([agent.clone()]),
    )
    .run()
    .await;
    println!("{}", agent.run(said).await?.text());
    Ok(())
}
