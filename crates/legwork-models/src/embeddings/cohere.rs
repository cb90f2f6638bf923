//! Cohere's embed.

use legwork_port::embedder::Purpose;
use serde_json::{Value, json};

use super::Quirks;
use super::draft::Draft;
use super::wire::{Asked, Wire};
use crate::answer::json::{Read, Reader};
use crate::providers::embedding::COHERE;
use crate::wire::write;

/// The wire of Cohere's embed.
pub(crate) struct Cohere;

impl Wire for Cohere {
    fn name(&self) -> &'static str {
        "cohere-embeddings"
    }

    fn title(&self) -> &'static str {
        "Cohere embed"
    }

    fn provider(&self) -> &'static str {
        "cohere"
    }

    fn is_path(&self, path: &str) -> bool {
        path.ends_with("/v2/embed")
    }

    fn base<'u>(&self, url: &'u str) -> &'u str {
        let url = url.trim_end_matches('/');
        let others = ["/compatibility/v1", "/v1", "/v2"];
        others.iter().find_map(|path| url.strip_suffix(path)).unwrap_or(url)
    }

    fn endpoint(&self, _model: &str) -> String {
        "v2/embed".to_owned()
    }

    fn own_fields(&self) -> &'static [&'static str] {
        &["texts", "model", "input_type", "inputs", "images", "embedding_types"]
    }

    fn quirks(&self) -> Quirks {
        COHERE
    }

    fn body(&self, asked: &Asked<'_>) -> Result<Vec<u8>, String> {
        let dimensions = asked.dimensions()?;
        let mut out = Vec::with_capacity(asked.size());
        out.extend_from_slice(b"{\"model\":");
        write(&mut out, asked.model);
        out.extend_from_slice(b",\"input_type\":");
        write(&mut out, input_type(asked.purpose)?);
        out.extend_from_slice(b",\"embedding_types\":[\"float\"],\"texts\":");
        write(&mut out, asked.texts);
        // By default it would cut long texts and not say so.
        let own: [(&str, Value); 1] = [("truncate", json!("NONE"))];
        asked.fields(dimensions.into_iter().chain(own), &mut out);
        out.push(b'}');
        Ok(out)
    }

    fn read(&self, json: &mut Reader<'_>, into: &mut Draft) -> Read {
        let mut position = json.object()?;
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "embeddings" if json.peek() == b'{' => by_type(json, into)?,
                "embeddings" => into.vectors(json)?,
                "meta" => billed(json, into)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }
}

/// The vectors of the type that was asked for.
fn by_type(json: &mut Reader<'_>, into: &mut Draft) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "float" => into.vectors(json)?,
            _ => json.skip()?,
        }
    }
    Ok(())
}

/// The tokens that are paid for.
fn billed(json: &mut Reader<'_>, into: &mut Draft) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "billed_units" => into.usage.read(json)?,
            _ => json.skip()?,
        }
    }
    Ok(())
}

/// What the API calls a purpose, which it wants of each request.
fn input_type(purpose: Option<Purpose>) -> Result<&'static str, String> {
    Ok(match purpose {
        None | Some(Purpose::Document) => "search_document",
        Some(Purpose::Query) => "search_query",
        Some(Purpose::Classification) => "classification",
        Some(Purpose::Clustering) => "clustering",
        Some(other) => {
            return Err(format!(
                "Cohere has no vectors for the purpose `{}`: take `query`, `document`, \
                 `classification` or `clustering`",
                other.as_str()
            ));
        }
    })
}
