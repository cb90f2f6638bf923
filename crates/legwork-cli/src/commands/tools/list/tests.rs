use std::sync::Arc;

use legwork::agent::toolset::{Tools, ToolsetExt as _};
use legwork::core::{ToolCall, ToolOutcome, ToolSpec};
use legwork::port::{BoxFuture, Tool, ToolContext, Toolset as _};

use super::{line, row};
use crate::display::table;

/// A tool as it is shown in so many columns.
fn shown(tool: &Arc<dyn Tool>, columns: usize) -> String {
    table(&[row(tool)], columns)
}

/// A tool that does nothing.
struct Idle;

impl Tool for Idle {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::new(ToolSpec::new("send", "Sends a mail. It may take a while.", serde_json::json!({})))
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async { ToolOutcome::text("sent") })
    }
}

fn decorated() -> Arc<dyn Tool> {
    let mail = Tools::new("mail\u{202e}", [Arc::new(Idle) as Arc<dyn Tool>]);
    let set = mail.limited(3).renamed([("send", "mail_send")]).filtered(|_, _| true);
    set.tools().unwrap().first().map(Arc::clone).unwrap()
}

#[test]
fn s6_11_the_chain_of_a_tool_stands_below_it_and_in_its_json() {
    assert_eq!(
        shown(&decorated(), 100),
        format!(
            "mail_send  side effects  Sends a mail.\n{}from mail\\u{{202e}} > limited(3) > \
             renamed(send as mail_send) > filtered\n",
            " ".repeat(25)
        )
    );
    let line: serde_json::Value = serde_json::from_str(&line(&decorated())).unwrap();
    let chain = ["mail\u{202e}", "limited(3)", "renamed(send as mail_send)", "filtered"];
    assert_eq!((&line["name"], &line["chain"]), (&"mail_send".into(), &chain[..].into()));
}

#[test]
fn a_tool_that_went_through_nothing_has_no_chain() {
    let idle: Arc<dyn Tool> = Arc::new(Idle);
    assert_eq!(shown(&idle, 80), "send  side effects  Sends a mail.\n");
    let line: serde_json::Value = serde_json::from_str(&line(&idle)).unwrap();
    assert_eq!(line["chain"], serde_json::json!([]));
}

#[test]
fn in_a_narrow_terminal_nothing_of_it_is_lost() {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for columns in [20, 40, 60] {
        let narrow = shown(&decorated(), columns);
        assert_eq!(words(&narrow), words(&shown(&decorated(), 200)), "{columns}: {narrow}");
    }
}
