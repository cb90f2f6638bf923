//! Finds the text that answers a question, by the vectors of both.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::embedder::{self, Request};

const TEXTS: [&str; 3] =
    ["A cat sat on the mat.", "Interest rates rose again.", "The mat is made of reed."];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let embedder = embedder::from_env("openai:text-embedding-3-small")?;
    let stored = embedder.embed(Request::documents(TEXTS)).await?;
    let asked = embedder.embed(Request::query("What did the cat do?")).await?;

    let question = asked.vectors.first().ok_or("there is no vector for the question")?;
    let mut found: Vec<_> =
        stored.vectors.iter().map(|one| likeness(one, question)).zip(TEXTS).collect();
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    for (likeness, text) in found {
        println!("{likeness:.2} {text}");
    }
    let price = embedder.profile().price.ok_or("its price is not known")?;
    println!("cost: {}", stored.cost(&price).ok_or("its usage is not known")?);
    Ok(())
}

/// How much two vectors of the length 1 are alike: 1 if they are the same.
fn likeness(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
