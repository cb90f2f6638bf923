//! From a definition to text.

use serde::Serialize;
use serde_json::Value;
use serde_saphyr::ser_options;

use super::{AgentDefinition, read};
use crate::canonical::{Ordered, Written};
use crate::capability::Capability;
use crate::format::Format;
use crate::problem::{Problem, Problems};
use crate::syntax::{front_matter, small_enough};

impl AgentDefinition {
    /// Says what is wrong with it.
    ///
    /// # Errors
    /// All that [`parse`](Self::parse) would refuse in a file that says the same.
    pub fn check(&self) -> Result<(), Problems> {
        read::check(serde_json::to_value(self.fields(None)).map_err(|error| unwritable(&error))?)
    }

    /// Writes it so that [`parse`](Self::parse) gives it back, always in the same way.
    ///
    /// # Errors
    /// What [`check`](Self::check) says, and if the text would be larger than a file may be.
    pub fn write(&self, format: Format) -> Result<String, Problems> {
        match format {
            Format::Markdown => self.to_markdown(),
            Format::Yaml => self.to_yaml(),
            Format::Json => self.to_json(),
        }
    }

    /// As Markdown: the instructions are its body.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn to_markdown(&self) -> Result<String, Problems> {
        self.check()?;
        let front = yaml(&self.fields(Some(Format::Markdown)))?;
        fitting(front_matter::join(&front, &self.instructions))
    }

    /// As YAML.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn to_yaml(&self) -> Result<String, Problems> {
        self.check()?;
        fitting(yaml(&self.fields(Some(Format::Yaml)))?)
    }

    /// As JSON.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn to_json(&self) -> Result<String, Problems> {
        self.check()?;
        let fields = self.fields(Some(Format::Json));
        let json = serde_json::to_string_pretty(&fields).map_err(|error| unwritable(&error))?;
        fitting(json + "\n")
    }

    /// Its fields as they are written; what says nothing is left out.
    fn fields(&self, format: Option<Format>) -> Ordered<'_> {
        let mut fields = Ordered::default();
        fields.add("name", Written::Text(&self.name));
        fields.add("description", Written::Text(&self.description));
        if let Some(model) = &self.model {
            fields.add("model", Written::Text(model));
        }
        if !self.capabilities.is_empty() {
            let list = self.capabilities.iter().map(Capability::written).collect();
            fields.add("capabilities", Written::List(list));
        }
        if let Some(tools) = &self.tools {
            fields.add("tools", Written::Texts(tools));
        }
        if !self.denied_tools.is_empty() {
            fields.add("denied_tools", Written::Texts(&self.denied_tools));
        }
        if let Some(servers) = &self.mcp {
            fields.add("mcp", Written::Texts(servers));
        }
        if !self.skills.is_empty() {
            fields.add("skills", Written::Texts(&self.skills));
        }
        let limits = self.limits.ordered();
        if !limits.is_empty() {
            fields.add("budget", Written::Table(limits));
        }
        if !self.metadata.is_empty() {
            let metadata = self.metadata.clone().into_iter().collect();
            fields.add("metadata", Written::Value(Value::Object(metadata)));
        }
        match (self.instructions.as_str(), format) {
            ("", _) | (_, Some(Format::Markdown)) => {}
            (text, Some(Format::Yaml)) => {
                fields.add("instructions", Written::Block(text));
            }
            (text, _) => fields.add("instructions", Written::Text(text)),
        }
        fields
    }
}

fn yaml(fields: &impl Serialize) -> Result<String, Problems> {
    // Folded lines would be another text for readers that do not know YAML well.
    let options = ser_options! { prefer_block_scalars: false, min_fold_chars: 0 };
    serde_saphyr::to_string_with_options(fields, options).map_err(|error| unwritable(&error))
}

fn fitting(text: String) -> Result<String, Problems> {
    small_enough(text.len())?;
    Ok(text)
}

fn unwritable(error: &dyn std::error::Error) -> Problems {
    Problem::new(format!("it cannot be written: {error}"), "report this as a defect").into()
}
