//! OpenAI's embeddings, which most servers of open models speak, too.

use serde_json::Value;

use super::Quirks;
use super::draft::Draft;
use super::wire::{Asked, Wire};
use crate::answer::json::{Read, Reader};
use crate::wire::write;

/// The wire of OpenAI's embeddings.
pub(crate) struct OpenAi;

impl Wire for OpenAi {
    fn name(&self) -> &'static str {
        "openai-embeddings"
    }

    fn title(&self) -> &'static str {
        "OpenAI embeddings"
    }

    fn provider(&self) -> &'static str {
        "openai"
    }

    fn is_path(&self, path: &str) -> bool {
        // Ollama's former API has a path of its own that ends alike.
        path.ends_with("/embeddings") && !path.ends_with("/api/embeddings")
    }

    fn endpoint(&self, _model: &str) -> String {
        "embeddings".to_owned()
    }

    fn own_fields(&self) -> &'static [&'static str] {
        &["input", "model"]
    }

    fn quirks(&self) -> Quirks {
        Quirks::USUAL
    }

    fn body(&self, asked: &Asked<'_>) -> Result<Vec<u8>, String> {
        let dimensions = asked.dimensions()?;
        let mut out = Vec::with_capacity(asked.size());
        out.extend_from_slice(b"{\"model\":");
        write(&mut out, asked.model);
        out.extend_from_slice(b",\"input\":");
        write(&mut out, asked.texts);
        let format = asked.quirks.base64.then(|| ("encoding_format", Value::from("base64")));
        asked.fields(dimensions.into_iter().chain(format), &mut out);
        out.push(b'}');
        Ok(out)
    }

    fn read(&self, json: &mut Reader<'_>, into: &mut Draft) -> Read {
        let mut position = json.object()?;
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "data" => items(json, into)?,
                "model" => into.model = named(json)?,
                "usage" => into.usage.read(json)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }
}

fn items(json: &mut Reader<'_>, into: &mut Draft) -> Read {
    into.recognised |= json.peek() == b'[';
    let mut position = json.array()?;
    while json.item(&mut position)? {
        let (mut fields, mut index, before) = (json.object()?, None, into.count());
        while let Some(key) = json.key(&mut fields)? {
            match &*key {
                "embedding" if into.count() == before => into.vector(json)?,
                "index" => index = json.count()?,
                _ => json.skip()?,
            }
        }
        if into.count() > before {
            into.index(index);
        }
    }
    Ok(())
}

/// The name of a model, if it is one.
pub(super) fn named(json: &mut Reader<'_>) -> Read<Option<String>> {
    let name = json.text()?;
    Ok((!name.is_empty()).then(|| name.into_owned()))
}
