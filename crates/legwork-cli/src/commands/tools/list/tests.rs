use std::sync::Arc;

use legwork::agent::toolset::{Tools, ToolsetExt as _};
use legwork::core::{ToolCall, ToolOutcome, ToolSpec};
use legwork::port::{BoxFuture, Tool, ToolContext, Toolset as _};

use super::{line, rows};

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
        rows(&decorated(), 9, 80),
        "mail_send  side effects  Sends a mail.\n    \
         from mail\\u{202e} > limited(3) > renamed(send as mail_send) > filtered\n"
    );
    let line: serde_json::Value = serde_json::from_str(&line(&decorated())).unwrap();
    let chain = ["mail\u{202e}", "limited(3)", "renamed(send as mail_send)", "filtered"];
    assert_eq!((&line["name"], &line["chain"]), (&"mail_send".into(), &chain[..].into()));
}

#[test]
fn a_tool_that_went_through_nothing_has_no_chain() {
    let idle: Arc<dyn Tool> = Arc::new(Idle);
    assert_eq!(rows(&idle, 6, 80), "send    side effects  Sends a mail.\n");
    let line: serde_json::Value = serde_json::from_str(&line(&idle)).unwrap();
    assert_eq!(line["chain"], serde_json::json!([]));
}

#[test]
fn no_row_is_wider_than_the_terminal() {
    for columns in [8, 12, 20, 40] {
        let rows = rows(&decorated(), 9, columns);
        assert!(rows.lines().all(|row| row.chars().count() <= columns), "{columns}: {rows}");
        assert!(columns < 40 || rows.lines().count() == 4, "{rows}");
    }
}
