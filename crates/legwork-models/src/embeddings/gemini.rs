//! `batchEmbedContents` of Google's Gemini API.

use http::{HeaderName, HeaderValue};
use legwork_port::embedder::Purpose;
use serde_json::Value;

use super::Quirks;
use super::draft::Draft;
use super::wire::{Asked, Wire};
use crate::answer::json::{Read, Reader};
use crate::providers::embedding::GEMINI;
use crate::wire::{segment, write};

/// The wire of `batchEmbedContents`.
pub(crate) struct Gemini;

impl Wire for Gemini {
    fn name(&self) -> &'static str {
        "gemini-embeddings"
    }

    fn title(&self) -> &'static str {
        "Gemini embeddings"
    }

    fn provider(&self) -> &'static str {
        "google"
    }

    fn is_path(&self, path: &str) -> bool {
        path.ends_with(":batchEmbedContents") || path.ends_with(":embedContent")
    }

    fn endpoint(&self, model: &str) -> String {
        format!("models/{}:batchEmbedContents", segment(model))
    }

    fn key(&self, key: &str) -> Result<(HeaderName, HeaderValue), http::Error> {
        Ok((HeaderName::from_static("x-goog-api-key"), HeaderValue::try_from(key)?))
    }

    fn own_fields(&self) -> &'static [&'static str] {
        &["requests", "model", "content", "taskType", "task_type"]
    }

    fn quirks(&self) -> Quirks {
        GEMINI
    }

    fn body(&self, asked: &Asked<'_>) -> Result<Vec<u8>, String> {
        let (dimensions, model) = (asked.dimensions()?, format!("models/{}", asked.model));
        let prefix = asked.purpose.filter(|_| wants_prefix(asked.model)).map(prefix);
        let task = asked.purpose.filter(|_| prefix.is_none());
        let task = task.map(|task| ("taskType", Value::from(task_type(task))));
        let mut out = Vec::with_capacity(asked.size());
        out.extend_from_slice(b"{\"requests\":[");
        for (number, text) in asked.texts.iter().enumerate() {
            out.extend_from_slice(if number == 0 { b"{\"model\":" } else { b",{\"model\":" });
            write(&mut out, &model);
            out.extend_from_slice(b",\"content\":{\"parts\":[{\"text\":");
            match prefix {
                Some(prefix) => write(&mut out, &format!("{prefix}{text}")),
                None => write(&mut out, text),
            }
            out.extend_from_slice(b"}]}");
            asked.fields(dimensions.clone().into_iter().chain(task.clone()), &mut out);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
        Ok(out)
    }

    fn read(&self, json: &mut Reader<'_>, into: &mut Draft) -> Read {
        let mut position = json.object()?;
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                // The one vector of `embedContent` is an object in place of a list.
                "embeddings" | "embedding" => embeddings(json, into)?,
                "usageMetadata" => into.usage.read(json)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }
}

fn embeddings(json: &mut Reader<'_>, into: &mut Draft) -> Read {
    into.recognised |= matches!(json.peek(), b'[' | b'{');
    let mut position = json.array()?;
    while json.item(&mut position)? {
        let (mut fields, before) = (json.object()?, into.count());
        while let Some(key) = json.key(&mut fields)? {
            match &*key {
                "values" if into.count() == before => into.vector(json)?,
                _ => json.skip()?,
            }
        }
    }
    Ok(())
}

/// Whether a model wants the purpose before the text, and does not look at a task type.
///
/// Recorded answers to two task types are the same for this generation.
fn wants_prefix(model: &str) -> bool {
    model.starts_with("gemini-embedding-2")
}

fn task_type(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Query => "RETRIEVAL_QUERY",
        Purpose::Document => "RETRIEVAL_DOCUMENT",
        Purpose::Question => "QUESTION_ANSWERING",
        Purpose::Claim => "FACT_VERIFICATION",
        Purpose::CodeQuery => "CODE_RETRIEVAL_QUERY",
        Purpose::Similarity => "SEMANTIC_SIMILARITY",
        Purpose::Classification => "CLASSIFICATION",
        Purpose::Clustering => "CLUSTERING",
        _ => "TASK_TYPE_UNSPECIFIED",
    }
}

/// What such a model wants before a text:
/// <https://ai.google.dev/gemini-api/docs/embeddings>.
fn prefix(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Query => "task: search result | query: ",
        Purpose::Document => "title: none | text: ",
        Purpose::Question => "task: question answering | query: ",
        Purpose::Claim => "task: fact checking | query: ",
        Purpose::CodeQuery => "task: code retrieval | query: ",
        Purpose::Similarity => "task: sentence similarity | query: ",
        Purpose::Classification => "task: classification | query: ",
        Purpose::Clustering => "task: clustering | query: ",
        _ => "",
    }
}
