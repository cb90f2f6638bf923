//! `legwork schema`: what files and streams of Legwork look like.

use legwork::core::entry;
use legwork::definition::AgentDefinition;

use crate::args::{Described, Schema};
use crate::commands::print_json;
use crate::config::schema::schema as settings;
use crate::error::Error;
use crate::exit::Exit;

/// Written by hand: the lines are of several types.
const EVENTS: &str = include_str!("../../../../docs/events.schema.json");

pub(crate) fn schema(args: &Schema) -> Result<Exit, Error> {
    match args.of {
        Described::Entry => print_json(&format!("{:#}\n", entry::schema().as_value())),
        Described::Events => print_json(EVENTS),
        Described::Settings => print_json(&format!("{:#}\n", settings())),
        Described::Agent => print_json(&format!("{:#}\n", AgentDefinition::schema().as_value())),
    }
}
