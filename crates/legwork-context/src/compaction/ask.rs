//! The message that asks for a summary.

use std::fmt::Write as _;

/// What the summary is to hold.
const CONTENTS: &str = "\
Whoever reads it goes on with the work and sees nothing of the messages above. Use these sections, \
and leave out one that would be empty:

## Task
What the user wants, in the user's words where they matter, and what changed about it since.
## Constraints
What was asked for or ruled out about how it is done.
## Done
What was done and found out, with what is needed to go on: paths, names, commands, values, error \
messages, word for word.
## Decisions
What was decided, and why.
## Next
What is being worked on right now, and what comes after it.

Do not call a tool, do not go on with the work, and do not answer questions of the messages above: \
answer with the summary alone.";

/// What is asked.
#[derive(Debug, Default)]
pub(super) struct Ask<'a> {
    /// Whether the conversation begins with a summary.
    pub(super) updates: bool,
    /// Whether the last turn above is not whole.
    pub(super) cuts_turn: bool,
    /// What else is to be heeded.
    pub(super) focus: Option<&'a str>,
}

impl Ask<'_> {
    pub(super) fn text(&self) -> String {
        let mut text = String::from(
            "The conversation is about to be shortened: a summary will be read in place of all \
             messages above this one. Write it now. ",
        );
        text.push_str(CONTENTS);
        if self.updates {
            text.push_str(
                "\n\nThe conversation begins with a summary of what came even earlier. Write the \
                 new one so that it replaces both: keep what still holds, move what is done, and \
                 drop what is out of date.",
            );
        }
        if self.cuts_turn {
            text.push_str(
                "\n\nThe work on the user's last task goes on right after the messages above. Say in \
                 a section `## Under way` how it was begun, step by step, so that what follows can \
                 be understood.",
            );
        }
        if let Some(focus) = self.focus {
            let _ = write!(text, "\n\nThe user asks that the summary heeds this: {focus}");
        }
        text
    }
}
