//! `legwork schema`: what files and streams of Legwork look like.

use legwork::core::entry;
use legwork::definition::AgentDefinition;
use legwork::port::event;

use crate::args::{Described, Schema};
use crate::commands::print_json;
use crate::config::schema::schema as settings;
use crate::error::Error;
use crate::exit::Exit;

pub(crate) fn schema(args: &Schema) -> Result<Exit, Error> {
    match args.of {
        Described::Entry => print_json(&format!("{:#}\n", entry::schema().as_value())),
        Described::Events => print_json(&format!("{:#}\n", event::schema().as_value())),
        Described::Settings => print_json(&format!("{:#}\n", settings())),
        Described::Agent => print_json(&format!("{:#}\n", AgentDefinition::schema().as_value())),
    }
}
