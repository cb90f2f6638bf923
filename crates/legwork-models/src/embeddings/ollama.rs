//! Ollama's own embed.

use super::Quirks;
use super::draft::Draft;
use super::openai::named;
use super::wire::{Asked, Wire};
use crate::answer::json::{Read, Reader};
use crate::wire::write;

/// The wire of Ollama's own embed.
pub(crate) struct Ollama;

impl Wire for Ollama {
    fn name(&self) -> &'static str {
        "ollama-embeddings"
    }

    fn title(&self) -> &'static str {
        "Ollama embed"
    }

    fn provider(&self) -> &'static str {
        "ollama"
    }

    fn is_path(&self, path: &str) -> bool {
        path.ends_with("/api/embed") || path.ends_with("/api/embeddings")
    }

    fn base<'u>(&self, url: &'u str) -> &'u str {
        let url = url.trim_end_matches('/');
        url.strip_suffix("/v1").or_else(|| url.strip_suffix("/api")).unwrap_or(url)
    }

    fn endpoint(&self, _model: &str) -> String {
        "api/embed".to_owned()
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
        // By default it would cut long texts and not say so.
        let own = [("truncate", false.into())];
        asked.fields(dimensions.into_iter().chain(own), &mut out);
        out.push(b'}');
        Ok(out)
    }

    fn read(&self, json: &mut Reader<'_>, into: &mut Draft) -> Read {
        let mut position = json.object()?;
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "embeddings" => into.vectors(json)?,
                // Of its former API, for one text.
                "embedding" => into.vector(json)?,
                "model" => into.model = named(json)?,
                "prompt_eval_count" => into.usage.field("prompt_tokens", json)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }
}
