//! Where what the chat says stands in an answer.

use legwork::port::{EventKind, RunEvent};

use crate::display::human::tests::Written;
use crate::display::{At, Displayer as _, Human, Pane, Terminal};

fn shown(terminal: Terminal, events: &[EventKind]) -> String {
    let (written, pane) = (Written::default(), Pane::new(terminal));
    let mut human = Human::new(written.clone(), written.clone(), terminal).within(&pane);
    for kind in events {
        human.show(At::default(), &RunEvent::new(kind.clone())).unwrap();
    }
    human.laid_out("a table\nof two lines").unwrap();
    human
        .show(At::default(), &RunEvent::new(EventKind::TextDelta { text: "s.\n".into() }))
        .unwrap();
    written.text()
}

#[test]
fn s15_1_what_the_chat_says_splits_no_line_of_an_answer() {
    let text = |text: &str| EventKind::TextDelta { text: text.into() };
    let note = |message: &str| EventKind::Note { message: message.into() };
    let events =
        [note("before"), text("One wor"), note("the agent is told"), text("d.\n\nTwo word")];
    let terminal = Terminal {
        out: true,
        out_colour: false,
        colour: false,
        lively: false,
        ..Terminal::detect()
    };
    let said = "before\nOne word.\nthe agent is told\n\nTwo words.\na table\nof two lines\n";
    assert_eq!(shown(terminal, &events), said);
}
