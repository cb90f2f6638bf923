//! `legwork sessions label` and `title`.

use legwork::agent::Delivery;
use legwork::core::Seq;
use legwork::core::inbox::Label;

use super::entry::number;
use crate::args;
use crate::commands::addressed::Addressed;
use crate::commands::print;
use crate::config::Config;
use crate::display::text::visible;
use crate::error::Error;
use crate::exit::Exit;

pub(super) async fn label(args: args::Label, config: &Config) -> Result<Exit, Error> {
    if let Some(number) = args.label.as_deref().and_then(number) {
        let message = format!("a label cannot be a number, since {number} names an entry");
        let hint = format!("to label that entry: legwork sessions label ID LABEL --entry {number}");
        return Err(Error::usage(message, hint));
    }
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let entry = args.entry.map_or_else(|| stands_at(&at), Seq);
    let label = Label { entry, text: args.label.filter(|label| !label.is_empty()) };
    let said = match &label.text {
        Some(text) => format!("entry {entry} is labelled {}", visible(text)),
        None => format!("entry {entry} has no label"),
    };
    let delivery = at.session.label(label).await?;
    report(&delivery, &said)
}

/// The entry of the conversation that the session stands at, which the tree shows.
fn stands_at(at: &Addressed) -> Seq {
    match at.journal.tip() {
        Seq::ZERO => at.state.head(),
        tip => tip,
    }
}

pub(super) async fn title(args: args::Title, config: &Config) -> Result<Exit, Error> {
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let delivery = at.session.title(args.title.clone()).await?;
    let title = match &delivery {
        Delivery::TakenUp(state) => state.summary().title.clone(),
        Delivery::Waiting(_) => args.title.unwrap_or_default(),
    };
    report(&delivery, &format!("the title is {:?}", visible(&title)))
}

/// What was done, or that the process that runs the session does it.
fn report(delivery: &Delivery, said: &str) -> Result<Exit, Error> {
    match delivery {
        Delivery::TakenUp(_) => print(&format!("{said}\n")),
        Delivery::Waiting(_) => {
            print(&format!("sent to the process that runs the session: {said}\n"))
        }
    }
}
