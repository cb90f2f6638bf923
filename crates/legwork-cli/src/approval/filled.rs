//! Input that a call asks for, filled in at the terminal.

use legwork::agent::form::{Field, Form, Kind};
use legwork::core::AgentState;
use legwork::core::inbox::Answer;
use legwork::core::state::Pending;
use serde_json::{Map, Value};

use super::{Asked, DENIED, Person, TRIES, shown};
use crate::display::Question;

/// What became of a field.
enum Filled {
    /// It has this value.
    With(Value),
    /// It is left out.
    Empty,
    /// The person leaves the form for later.
    Later,
}

impl Person {
    /// Has the person fill in a form, field by field; none if they leave it for later.
    pub(super) async fn fill(
        &self,
        asked: &mut Asked,
        pending: &Pending,
        form: &Form,
        state: &AgentState,
    ) -> Option<Answer> {
        let first = shown::form(pending, form, state);
        self.show(asked, &first, pending, state).ok()?;
        let mut values = Map::new();
        for (at, field) in form.fields.iter().enumerate() {
            let shown = shown::field(field);
            // The first one is asked with the form.
            if at > 0 {
                self.screen.question(&shown).ok()?;
            }
            match self.fill_field(asked, field, &shown).await? {
                Filled::With(value) => drop(values.insert(field.name.clone(), value)),
                Filled::Empty => {}
                Filled::Later => return None,
            }
        }
        if form.fields.is_empty() && !self.agrees(asked, &first).await? {
            return Some(Answer::deny(pending, DENIED));
        }
        form.answer(pending, values).ok()
    }

    async fn fill_field(
        &self,
        asked: &mut Asked,
        field: &Field,
        shown: &Question,
    ) -> Option<Filled> {
        for _ in 0..TRIES {
            let line = asked.lines.next().await?;
            self.screen.answered();
            match field.read(&line) {
                Ok(Some(value)) => return Some(Filled::With(value)),
                Ok(None) => return Some(Filled::Empty),
                Err(_) if line.trim().is_empty() => return Some(Filled::Later),
                Err(refused) => {
                    let lines = vec![refused.to_string()];
                    self.screen.question(&Question { lines, ..shown.clone() }).ok()?;
                }
            }
        }
        None
    }

    /// Whether the person says yes to what has nothing to fill in; none if they leave it for later.
    async fn agrees(&self, asked: &mut Asked, shown: &Question) -> Option<bool> {
        for _ in 0..TRIES {
            let line = asked.lines.next().await?;
            self.screen.answered();
            match (line.trim().is_empty(), Kind::yes_or_no(&line)) {
                (true, _) => return None,
                (false, Some(said)) => return Some(said),
                (false, None) => self.screen.question(&shown.again()).ok()?,
            }
        }
        None
    }
}
