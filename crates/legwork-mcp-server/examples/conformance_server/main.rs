//! The server under test of the conformance suite of the Model Context Protocol.
//!
//! It offers what the scenarios of the suite ask for (`cargo xtask mcp` plays them): tools that
//! answer at once ([`tools`]), tools that ask the client ([`asking`]), tools whose calls become tasks
//! ([`jobs`]), resources and prompts. It listens on the port of 127.0.0.1 that is its argument, or
//! on a free one, prints its URL as one line, and ends when its standard input ends.

use std::error::Error as StdError;
use std::io;
use std::thread;

use legwork_core::ToolSpec;
use legwork_mcp_server::client::Client;
use legwork_mcp_server::content::{Contents, Said};
use legwork_mcp_server::question::Answers;
use legwork_mcp_server::service::{About, Answered, Argument, Call, Change, Prompt, Resource};
use legwork_mcp_server::task::Task;
use legwork_mcp_server::{Access, Error, Server, Service};
use legwork_port::{BoxFuture, Cancellation};
use tokio::net::TcpListener;
use tokio::sync::broadcast;

mod asking;
mod jobs;
mod prompts;
mod resources;
mod tools;

use jobs::Jobs;

/// A grey PNG of one pixel.
const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";
/// A WAV file of four silent samples.
const AUDIO: &str = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA";

#[tokio::main]
async fn main() -> Result<(), Box<dyn StdError>> {
    let port = std::env::args().nth(1).map_or(Ok(0), |port| port.parse::<u16>())?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let stop = Cancellation::default();
    let stopped = stop.clone();
    thread::spawn(move || {
        // An error ends it, too: nobody holds the other end.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        stopped.cancel();
    });
    announce(&format!("http://{}/mcp", listener.local_addr()?));
    let server =
        Server::new(Fixture { changes: broadcast::Sender::new(16), jobs: Jobs::default() });
    Ok(server.serve_http(listener, Access::Local, &stop).await?)
}

#[allow(clippy::print_stdout, reason = "the suite is started with this URL")]
fn announce(url: &str) {
    println!("{url}");
}

/// What the suite asks for.
struct Fixture {
    changes: broadcast::Sender<Change>,
    jobs: Jobs,
}

impl Service for Fixture {
    fn about(&self) -> About {
        let mut about = About::new("legwork-conformance", env!("CARGO_PKG_VERSION"));
        (about.resources, about.prompts) = (true, true);
        (about.completes, about.logs, about.tasks) = (true, true, true);
        about
    }

    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolSpec>, Error>> {
        Box::pin(async { Ok([tools::specs(), asking::specs(), jobs::specs()].concat()) })
    }

    fn call<'a>(
        &'a self,
        call: Call,
        client: &'a Client,
    ) -> BoxFuture<'a, Result<Answered, Error>> {
        Box::pin(async move {
            if jobs::is_one(&call.name) {
                return self.jobs.call(&call, client).await;
            }
            let reply = match asking::is_one(&call.name) {
                true => asking::call(&call, client).await,
                false => tools::call(&call, client, &self.changes).await,
            };
            reply.map(Answered::Done)
        })
    }

    fn resources(&self) -> BoxFuture<'_, Result<Vec<Resource>, Error>> {
        Box::pin(async { Ok(resources::listed()) })
    }

    fn templates(&self) -> BoxFuture<'_, Result<Vec<Resource>, Error>> {
        Box::pin(async { Ok(resources::templates()) })
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        _client: &'a Client,
    ) -> BoxFuture<'a, Result<Vec<Contents>, Error>> {
        Box::pin(async move { resources::read(uri) })
    }

    fn prompts(&self) -> BoxFuture<'_, Result<Vec<Prompt>, Error>> {
        Box::pin(async { Ok(prompts::listed()) })
    }

    fn prompt<'a>(
        &'a self,
        call: Call,
        client: &'a Client,
    ) -> BoxFuture<'a, Result<Vec<Said>, Error>> {
        Box::pin(async move { prompts::messages(&call, client).await })
    }

    fn complete<'a>(&'a self, argument: Argument<'a>) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async move { Ok(prompts::completions(argument)) })
    }

    fn task<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Task, Error>> {
        Box::pin(async move { self.jobs.get(id) })
    }

    fn answer_task<'a>(
        &'a self,
        id: &'a str,
        answers: Answers,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move { self.jobs.answer(id, &answers) })
    }

    fn cancel_task<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move { self.jobs.cancel(id) })
    }

    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        Some(self.changes.subscribe())
    }
}
