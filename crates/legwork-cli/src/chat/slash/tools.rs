//! `/tools`: the tools of the agent.

use crate::chat::Chat;
use crate::display::table;
use crate::display::text::one_line;

pub(super) async fn tools(chat: &Chat<'_>) {
    let described = chat.ready.agent.describe().await;
    let rows = described.tools.iter().map(|tool| {
        let end = tool.about.find(". ").map_or(tool.about.len(), |at| at + 1);
        let does = one_line(tool.about.get(..end).unwrap_or_default());
        vec![tool.name.to_string(), does]
    });
    chat.screen.text(&table(&rows.collect::<Vec<_>>(), chat.columns()));
}
