//! `legwork mcp login` and `logout`: what a person grants, and that it is forgotten.

use legwork::mcp::Endpoint;
use legwork::mcp::oauth::LoopbackBrowser;

use super::unknown;
use crate::args;
use crate::commands::{print, tell};
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::mcp;
use crate::settings::Settings;

pub(super) async fn login(args: &args::McpLogin, config: &Config) -> Result<Exit, Error> {
    let endpoint = endpoint(&args.name, config).await?;
    let failed = |error: legwork::mcp::Error| {
        let message = format!("there is no login to {}: {error}", args.name);
        let hint = format!("`legwork mcp test {}` says what else the server says", args.name);
        Error::Server { message, hint }
    };
    let show = |url: &str| tell(&format!("open this address in a browser:\n{url}"));
    let browser = LoopbackBrowser::listen(args.port, show).await.map_err(failed)?;
    endpoint.log_in(&browser).await.map_err(failed)?;
    print(&format!(
        "logged in to {}; `legwork mcp test {}` shows its tools\n",
        args.name, args.name
    ))
}

pub(super) async fn logout(args: &args::McpLogout, config: &Config) -> Result<Exit, Error> {
    let endpoint = endpoint(&args.name, config).await?;
    endpoint.log_out().await.map_err(|error| {
        let message = format!("what was granted for {} cannot be forgotten: {error}", args.name);
        Error::Server { message, hint: "remove the file yourself".to_owned() }
    })?;
    print(&format!("what was granted for {} is forgotten\n", args.name))
}

async fn endpoint(name: &str, config: &Config) -> Result<Endpoint, Error> {
    let settings = Settings::shown(&args::Agent::default(), config)?;
    let Some(server) = settings.mcp.get(name) else {
        return Err(unknown(name, settings.mcp.names()));
    };
    let endpoint = mcp::endpoint(name, server, &settings).await?;
    endpoint.ok_or_else(|| {
        let message = format!("{name} is a program of this machine, and asks for no login");
        Error::usage(message, "give it what it needs with `env`")
    })
}
