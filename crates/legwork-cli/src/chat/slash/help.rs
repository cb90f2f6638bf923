//! `/help`: the commands, those of files too.

use super::ALL;
use crate::chat::Chat;
use crate::display::table;

const KEYS: &str = "\
@PATH names a file, Tab completes; Alt-Enter begins another line
Ctrl-C or Esc interrupts the agent; Ctrl-D leaves
";

pub(super) fn help(chat: &Chat<'_>) {
    let own = ALL.iter().map(|one| vec![format!("/{}", one.name()), one.help().to_owned()]);
    let files = chat.commands.all().map(|(name, help)| vec![format!("/{name}"), help.to_owned()]);
    let text = table(&own.chain(files).collect::<Vec<_>>(), chat.columns());
    chat.screen.text(&(text + KEYS));
}
