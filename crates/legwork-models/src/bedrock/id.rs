//! Ids of models at Bedrock.

/// An id such as `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ModelId<'a> {
    /// Who made the model, such as `anthropic`; empty if the id does not say.
    pub(super) maker: &'a str,
    /// The model's name, such as `claude-sonnet-4-5-20250929-v1:0`.
    pub(super) name: &'a str,
}

/// What an inference profile over several regions has before the maker.
const AREAS: [&str; 10] = ["apac", "au", "ca", "eu", "global", "jp", "sa", "uk", "us", "us-gov"];

/// The Claudes that take no cache points.
const UNCACHED: [&str; 6] = [
    "claude-v2",
    "claude-instant",
    "claude-3-haiku",
    "claude-3-sonnet",
    "claude-3-opus",
    "claude-3-5-sonnet-20240620",
];

impl<'a> ModelId<'a> {
    /// Takes apart the id of a model or an inference profile, or an ARN that ends with one.
    pub(super) fn of(id: &'a str) -> Self {
        let id = id.rsplit_once('/').map_or(id, |(_, id)| id);
        let id = match id.split_once('.') {
            Some((area, rest)) if AREAS.contains(&area) => rest,
            _ => id,
        };
        let (maker, name) = id.split_once('.').unwrap_or(("", id));
        Self { maker, name }
    }

    /// Whether it takes cache points behind the instructions and messages.
    ///
    /// By "Prompt caching for faster model inference" in the user guide of Bedrock.
    pub(super) fn is_cached(&self) -> bool {
        match self.maker {
            "anthropic" => !UNCACHED.iter().any(|old| self.name.starts_with(old)),
            "amazon" => self.name.starts_with("nova"),
            _ => false,
        }
    }

    /// Whether it takes cache points behind tools, too.
    pub(super) fn caches_tools(&self) -> bool {
        self.maker == "anthropic" && self.is_cached()
    }

    /// Whether it sees videos.
    pub(super) fn sees_videos(&self) -> bool {
        matches!(self.maker, "amazon" | "twelvelabs")
    }

    /// Whether it hears sounds; of a model that the name does not tell, the server has to say.
    pub(super) fn hears(&self) -> bool {
        match self.maker {
            "amazon" => self.name.contains("omni"),
            "mistral" => self.name.starts_with("voxtral"),
            maker => maker.is_empty(),
        }
    }

    /// Whether it is told that a call failed in another way than by the text of the result.
    pub(super) fn takes_status(&self) -> bool {
        matches!(self.maker, "amazon" | "anthropic" | "")
    }
}

#[cfg(test)]
mod tests;
