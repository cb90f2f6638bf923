//! A custom toolset: opened by the first run that needs it, shared by concurrent runs, closed
//! after the last.
//!
//! A script takes the place of the model, so that this runs anywhere.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::sync::Arc;

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::port::toolset::{Error, OpenToolset, Scope, Toolset};
use legwork::port::{BoxFuture, Tool};
use legwork::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// A library; its catalogue is read when it opens.
struct Library;
/// The catalogue of an open library: titles and their shelves.
struct Catalogue(Arc<Vec<(&'static str, u32)>>);

#[derive(Deserialize, JsonSchema)]
struct Book {
    /// The title, as it is on the cover.
    title: String,
}

impl Toolset for Library {
    fn name(&self) -> &str {
        "library"
    }

    fn open<'a>(&'a self, _: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(async {
            println!("the library opens");
            // A real toolset would read the catalogue here.
            tokio::task::yield_now().await;
            let books = vec![("Emma", 3), ("Walden", 5)];
            Ok(Box::new(Catalogue(Arc::new(books))) as Box<dyn OpenToolset>)
        })
    }
}

impl OpenToolset for Catalogue {
    fn tools<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>> {
        let books = Arc::clone(&self.0);
        let shelf = tool::from_fn("shelf", "Tells the shelf of a book.", move |book: Book| {
            let found = books.iter().find(|(title, _)| *title == book.title);
            found.map(|(_, shelf)| *shelf).ok_or("there is no such book")
        });
        Box::pin(async { Ok(vec![Arc::new(shelf.read_only()) as Arc<dyn Tool>]) })
    }

    /// Constant, because the tools do not depend on the state: they are listed once.
    fn revision(&self) -> Option<u64> {
        Some(1)
    }

    fn instructions(&self) -> Option<String> {
        Some("Shelves are numbered from the door.".to_owned())
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { println!("the library closes") })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let asks = |title| [Line::call("shelf", json!({"title": title})), Line::text("Thank you.")];
    let reader = |title| Agent::builder(NoModel).driver(Scripted::new(asks(title)));
    let agent = reader("Walden").toolset(Library).build()?;
    // Two concurrent runs share one catalogue.
    let (one, two) = tokio::try_join!(agent.run("Find Walden."), agent.run("Find it, too."))?;
    for run in [one, two] {
        let results = run.state().step_results().flat_map(|result| result.step.tool_executions());
        results.for_each(|result| println!("shelf {}", result.outcome.to_text()));
    }
    Ok(())
}
