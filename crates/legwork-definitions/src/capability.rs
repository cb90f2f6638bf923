//! A capability that an agent asks for.

use serde_json::Value;

use crate::canonical::{Ordered, Written};
use crate::fields::{Findings, Item};
use crate::name::name;
use crate::syntax::node::Data;

/// The fields of a capability that is more than a name.
pub(crate) const FIELDS: [&str; 2] = ["name", "settings"];

/// A capability by name, and what it is set to.
#[derive(Debug, Clone, PartialEq)]
pub struct Capability {
    /// Its name.
    pub name: String,
    /// Its settings, which only the capability understands; none = as it comes.
    pub settings: Option<Value>,
}

impl Capability {
    /// A capability as it comes.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), settings: None }
    }

    /// The same capability with these settings.
    #[must_use]
    pub fn with_settings(self, settings: impl Into<Value>) -> Self {
        Self { settings: Some(settings.into()), ..self }
    }

    /// Reads one from an item: a name, or fields.
    pub(crate) fn read(item: Item, findings: &mut Findings) -> Option<Self> {
        match item.node.data {
            Data::Text(_) => name(item, findings).map(Self::new),
            Data::Table(_) => {
                let mut table = item.table("", findings)?;
                let given = table.require("name", "add its name: `name: coding`", findings);
                let name = given.and_then(|item| name(item, findings));
                let settings = table.take("settings").map(|item| item.node.into_value());
                table.refuse_rest(&FIELDS, findings);
                Some(Self { name: name?, settings })
            }
            _ => {
                let mend = "write `- coding`, or `- {name: coding, settings: {...}}`";
                findings.add(item.unlike("a name, or a name with settings", mend));
                None
            }
        }
    }

    pub(crate) fn written(&self) -> Written<'_> {
        let Some(settings) = &self.settings else { return Written::Text(&self.name) };
        let mut table = Ordered::default();
        table.add("name", Written::Text(&self.name));
        table.add_value("settings", Some(settings.clone()));
        Written::Table(table)
    }
}

impl From<&str> for Capability {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}
