//! What every embedder must keep.

use legwork_port::embedder::{Embedder, Purpose, Request};

use super::{Outcome, Violations, ensure, run};

/// How far two vectors of one text may lie apart, in each number: providers compute with
/// half precision.
const NEAR: f32 = 1e-2;

/// More texts than providers take at once.
const MANY: usize = 3_000;

/// Checks every promise of the port on embedders that `make` makes.
///
/// # Errors
/// The promises that were not kept.
pub async fn check<E: Embedder>(make: impl AsyncFn() -> E) -> Result<(), Violations> {
    run!(make().await =>
        promises::its_name_is_that_of_a_provider_and_a_model,
        promises::there_is_one_vector_a_text,
        promises::no_text_is_no_vector,
        promises::vectors_have_one_length,
        promises::numbers_are_finite,
        promises::the_order_is_that_of_the_texts,
        promises::one_text_has_one_vector,
        promises::many_texts_are_taken_at_once,
        promises::dimensions_are_kept_or_refused,
        promises::a_purpose_is_kept_or_refused,
    )
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn sample() -> Vec<String> {
    texts(&["A cat sat on the mat.", "Interest rates rose again.", "猫がマットの上に座った。", "x"])
}

async fn embed(embedder: &impl Embedder, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
    let answer = embedder.embed(Request::new(texts.iter().cloned())).await;
    let vectors = answer.map_err(|error| format!("it fails: {error}"))?.vectors;
    ensure!(vectors.len() == texts.len(), "{} vectors for {} texts", vectors.len(), texts.len());
    Ok(vectors)
}

/// Whether two vectors are those of one text.
fn is_near(one: &[f32], other: &[f32]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| (a - b).abs() <= NEAR)
}

mod promises {
    use super::*;

    pub(super) async fn its_name_is_that_of_a_provider_and_a_model(
        embedder: &impl Embedder,
    ) -> Outcome {
        let name = embedder.name();
        let is_named =
            name.split_once(':').is_some_and(|(of, name)| !of.is_empty() && !name.is_empty());
        ensure!(is_named, "it is called {name:?}, not `provider:name`");
        Ok(())
    }

    pub(super) async fn there_is_one_vector_a_text(embedder: &impl Embedder) -> Outcome {
        embed(embedder, &sample()).await.map(drop)
    }

    pub(super) async fn no_text_is_no_vector(embedder: &impl Embedder) -> Outcome {
        embed(embedder, &[]).await.map(drop)
    }

    pub(super) async fn vectors_have_one_length(embedder: &impl Embedder) -> Outcome {
        let mut lengths: Vec<_> = embed(embedder, &sample()).await?.iter().map(Vec::len).collect();
        lengths.extend(embed(embedder, &texts(&["later"])).await?.iter().map(Vec::len));
        let first = lengths.first().copied().unwrap_or_default();
        ensure!(first > 0, "vectors are empty");
        ensure!(lengths.iter().all(|length| *length == first), "the lengths are {lengths:?}");
        Ok(())
    }

    pub(super) async fn numbers_are_finite(embedder: &impl Embedder) -> Outcome {
        let vectors = embed(embedder, &sample()).await?;
        for (text, vector) in sample().iter().zip(&vectors) {
            ensure!(vector.iter().all(|number| number.is_finite()), "{text:?} is at {vector:?}");
            ensure!(vector.iter().any(|number| *number != 0.0), "{text:?} is nowhere: all are 0");
        }
        Ok(())
    }

    pub(super) async fn the_order_is_that_of_the_texts(embedder: &impl Embedder) -> Outcome {
        let sample = sample();
        let together = embed(embedder, &sample).await?;
        for (text, vector) in sample.iter().zip(&together) {
            let alone = embed(embedder, std::slice::from_ref(text)).await?;
            let is_same = alone.iter().all(|alone| is_near(alone, vector));
            ensure!(is_same, "{text:?} has another vector among others than alone");
        }
        let reversed: Vec<_> = sample.iter().rev().cloned().collect();
        let reversed = embed(embedder, &reversed).await?;
        let is_same =
            together.iter().zip(reversed.iter().rev()).all(|(one, two)| is_near(one, two));
        ensure!(is_same, "the order of the texts changes their vectors");
        Ok(())
    }

    pub(super) async fn one_text_has_one_vector(embedder: &impl Embedder) -> Outcome {
        let vectors = embed(embedder, &texts(&["twice", "between", "twice"])).await?;
        let [one, between, two] = &vectors[..] else { return Err("three were asked".into()) };
        ensure!(is_near(one, two), "one text has two vectors");
        ensure!(!is_near(one, between), "two texts have one vector");
        Ok(())
    }

    pub(super) async fn many_texts_are_taken_at_once(embedder: &impl Embedder) -> Outcome {
        let many: Vec<_> = (0..MANY).map(|number| format!("text {number}")).collect();
        embed(embedder, &many).await.map(drop)
    }

    pub(super) async fn dimensions_are_kept_or_refused(embedder: &impl Embedder) -> Outcome {
        let usual = embed(embedder, &sample()).await?.first().map_or(0, Vec::len);
        let known = embedder.profile().dimensions.map(|known| known as usize);
        ensure!(known.is_none_or(|known| known == usual), "the profile says {known:?}: {usual}");
        let asked = u32::try_from(usual / 2).unwrap_or(u32::MAX).max(1);
        let Ok(answer) = embedder.embed(Request::new(sample()).with_dimensions(asked)).await else {
            return Ok(());
        };
        let lengths: Vec<_> = answer.vectors.iter().map(Vec::len).collect();
        let kept = lengths.iter().all(|length| *length == asked as usize);
        ensure!(kept, "{asked} dimensions were asked for, and {lengths:?} came");
        Ok(())
    }

    pub(super) async fn a_purpose_is_kept_or_refused(embedder: &impl Embedder) -> Outcome {
        for purpose in Purpose::ALL {
            let Ok(answer) = embedder.embed(Request::new(sample()).with_purpose(purpose)).await
            else {
                continue;
            };
            let (came, name) = (answer.vectors.len(), purpose.as_str());
            ensure!(came == sample().len(), "{came} vectors for {} texts ({name})", sample().len());
        }
        Ok(())
    }
}
