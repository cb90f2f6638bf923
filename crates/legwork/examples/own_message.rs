//! A message of one's own kind: the journal keeps its data, and it says how a model reads it.
//!
//! A script takes the place of the model, so that this runs anywhere.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::context::Context;
use legwork::port::core::Part;
use legwork::port::{AppMessage, Profile};
use legwork::prelude::*;
use serde::{Deserialize, Serialize};

/// A reading of a thermometer.
#[derive(Serialize, Deserialize)]
struct Reading {
    place: String,
    celsius: f32,
}

impl AppMessage for Reading {
    const KIND: &'static str = "reading";

    /// What a model reads; none for what no model is to read.
    fn render(&self, _profile: &Profile) -> Option<Vec<Part>> {
        Some(vec![Part::text(format!("It is {} °C at {}.", self.celsius, self.place))])
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Agent::builder(NoModel)
        .driver(Scripted::new([Line::text("Take a coat.")]))
        .context(Context::new().app::<Reading>())
        .build()?;
    let reading = Reading { place: "the bridge".into(), celsius: 3.5 };
    let run =
        agent.run_messages([reading.to_message()?, Message::user("What shall I wear?")]).await?;
    println!("{}", run.text());

    // A user interface reads the data, and shows it in its own way.
    let messages = run.state().context().transcript.messages();
    for reading in messages.iter().filter_map(|message| Reading::of(message)?.ok()) {
        println!("[{:>5.1} °C] {}", reading.celsius, reading.place);
    }
    Ok(())
}
