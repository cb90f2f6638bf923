//! `legwork pending`, `approve`, `deny` and `answer`: calls that wait for a person.

mod listed;

use std::sync::Arc;

use legwork::agent::form::Form;
use legwork::agent::toolset::CallRule;
use legwork::agent::{Delivery, StoredSession, Waiting};
use legwork::capability::ask_user::Question;
use legwork::core::SessionId;
use legwork::core::approval::Remember;
use legwork::core::inbox::{self, Verdict};
use legwork::core::state::{Pending, PendingReason};
use legwork::port::Store;
use legwork::port::store::Query;
use serde_json::Value;

use self::listed::{call_of, line, rows};
use crate::args;
use crate::commands::addressed::Addressed;
use crate::commands::{print, print_json, warn};
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::session::find;
use crate::settings::variable;
use crate::shell::quoted;
use crate::store_address::StoreAddress;

pub(crate) async fn pending(args: args::Pending, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_to_read()?;
    let sessions = match (&args.session, &store) {
        (Some(asked), store) => vec![find(store.as_ref(), asked, &address).await?.id],
        (None, Some(store)) => waiting_sessions(store).await?,
        (None, None) => Vec::new(),
    };
    let Some(store) = store else { return nothing(args.json) };
    let mut text = String::new();
    for id in sessions {
        let waiting = match StoredSession::new(Arc::clone(&store), id.clone()).pending().await {
            Ok(waiting) => waiting,
            // One that cannot be read hides no other.
            Err(error) if args.session.is_none() => {
                warn(format!("session {id}: {error}"));
                continue;
            }
            Err(error) => return Err(legwork::Error::from(error).into()),
        };
        match args.json {
            true => text.extend(waiting.iter().map(|one| line(&id, one))),
            false => text.push_str(&rows(&id, &waiting, &address.flag())),
        }
    }
    match (text.is_empty(), args.json) {
        (true, json) => nothing(json),
        (false, true) => print_json(&text),
        (false, false) => print(&text),
    }
}

fn nothing(json: bool) -> Result<Exit, Error> {
    print(if json { "" } else { "no call waits for an answer\n" })
}

/// Sessions that wait and are no subagent's, whose calls are listed with those of its root.
async fn waiting_sessions(store: &Arc<dyn Store>) -> Result<Vec<SessionId>, Error> {
    let all = store.sessions(&Query::all()).await?.sessions;
    let waits = all.into_iter().filter(|info| {
        let status = info.summary.status.as_ref();
        status.is_some_and(|status| status.is_waiting()) && info.summary.parent.is_none()
    });
    Ok(waits.map(|info| info.session).collect())
}

pub(crate) async fn approve(args: args::Approve, config: &Config) -> Result<Exit, Error> {
    let remember = match (&args.rule, args.always) {
        (Some(rule), _) => Some(Remember::Rule(known(rule)?.to_string())),
        (None, true) => Some(Remember::Tool),
        (None, false) => None,
    };
    let arguments = args.arguments.as_deref().map(object).transpose()?;
    let at = Place::of(&args.call, config).await?;
    let asks = |one: &&Waiting| one.pending.reason == PendingReason::Approval;
    let chosen = match args.all {
        true => at.waiting.iter().filter(asks).collect(),
        false => vec![at.one(args.call.call.as_deref(), "approve", |one| asks(&one))?],
    };
    if chosen.is_empty() {
        return Err(at.none("approve"));
    }
    // Nothing is remembered of a call that is asked about each time.
    if remember.is_some() && chosen.iter().any(|one| !one.pending.of_policy) {
        return Err(Error::usage(
            "such calls are asked about each time: what is approved holds for this one alone",
            "approve it without --always and --rule",
        ));
    }
    let (mut delivered, mut refused) = (Delivered::default(), None);
    for one in chosen {
        let pending = &one.pending;
        let answer = match (&arguments, &remember) {
            (Some(arguments), _) => inbox::Answer::approve_with(pending, arguments),
            (None, Some(remember)) => {
                inbox::Answer::approve_and_remember(pending, remember.clone())
            }
            (None, None) => inbox::Answer::approve(pending),
        };
        match at.deliver(one, answer, "approved").await {
            Ok(one) => delivered.add(one),
            Err(error) if args.all => refused = Some(error),
            Err(error) => return Err(error),
        }
    }
    at.print(delivered)?;
    refused.map_or(Ok(Exit::Done), Err)
}

pub(crate) async fn deny(args: args::Deny, config: &Config) -> Result<Exit, Error> {
    let at = Place::of(&args.call, config).await?;
    let denied = |one: &Waiting| Verdict::Deny(String::new()).answers(&one.pending.reason);
    let one = at.one(args.call.call.as_deref(), "deny", denied)?;
    let answer = inbox::Answer::deny(&one.pending, args.message);
    at.print(at.deliver(one, answer, "denied").await?)
}

pub(crate) async fn answer(args: args::Answer, config: &Config) -> Result<Exit, Error> {
    let verdict = match (&args.result, args.run_again) {
        (Some(result), _) => {
            let value = serde_json::from_str(result);
            Verdict::Supply(value.unwrap_or_else(|_| Value::String(result.clone())))
        }
        (None, true) => Verdict::RunAgain,
        (None, false) => Verdict::Tell,
    };
    let at = Place::of(&args.call, config).await?;
    let one =
        at.one(args.call.call.as_deref(), "answer", |one| verdict.answers(&one.pending.reason))?;
    let answer = match &args.result {
        Some(text) => supplied(&one.pending, text, verdict)?,
        None => inbox::Answer::new(&one.pending.id, verdict),
    };
    at.print(at.deliver(one, answer, "answered").await?)
}

/// The answer that a text gives to a call that asks for something, or else its result.
fn supplied(pending: &Pending, text: &str, result: Verdict) -> Result<inbox::Answer, Error> {
    if let Some(question) = Question::of(pending) {
        return question.answer(pending, text).map_err(|refused| {
            Error::usage(refused.to_string(), format!("the question is: {}", question.text))
        });
    }
    if let Some(form) = Form::of(pending) {
        return form.read(pending, text).map_err(|refused| {
            Error::usage(refused.to_string(), format!("it asks: {}", form.message))
        });
    }
    Ok(inbox::Answer::new(&pending.id, result))
}

/// Characters of a call's name that are enough, where no other begins so.
const LEAST: usize = 4;

/// The calls that wait in a session, and where it is.
struct Place {
    at: Addressed,
    waiting: Vec<Waiting>,
}

impl Place {
    async fn of(args: &args::OneCall, config: &Config) -> Result<Self, Error> {
        let at = Addressed::find(&args.session, &args.store, config).await?;
        let waiting = at.session.pending().await.map_err(legwork::Error::from)?;
        Ok(Self { at, waiting })
    }

    /// The call of a name, or the only one that the answer fits.
    fn one(
        &self,
        name: Option<&str>,
        verb: &str,
        fits: impl Fn(&Waiting) -> bool,
    ) -> Result<&Waiting, Error> {
        let id = self.at.session.id();
        let hint =
            format!("see them with `legwork pending {}{}`", quoted(id.as_str()), self.at.store);
        if let Some(name) = name {
            let is_named = |one: &&Waiting| one.pending.digest.as_str().starts_with(name);
            let mut named = self.waiting.iter().filter(is_named);
            return match (named.next().filter(|_| name.len() >= LEAST), named.next()) {
                (Some(one), None) => Ok(one),
                _ => {
                    let count = self.waiting.len();
                    let message = format!("no call {name} waits in {id}, where {count} wait now");
                    Err(Error::usage(message, hint))
                }
            };
        }
        let mut fitting = self.waiting.iter().filter(|one| fits(one));
        match (fitting.next(), fitting.count()) {
            (Some(one), 0) => Ok(one),
            (None, _) => Err(self.none(verb)),
            (Some(_), more) => {
                let message = format!("{} calls wait in {id}: say which", more + 1);
                Err(Error::usage(message, hint))
            }
        }
    }

    /// No call waits for such an answer.
    fn none(&self, verb: &str) -> Error {
        let id = self.at.session.id();
        let waits = self.waiting.first().map(|one| one.pending.reason.to_string());
        match waits {
            None => Error::usage(
                format!("no call of {id} waits for an answer"),
                "`legwork pending` shows which do",
            ),
            Some(reason) => Error::usage(
                format!("no call of {id} is there to {verb}: one waits ({reason})"),
                format!("see it with `legwork pending {}{}`", quoted(id.as_str()), self.at.store),
            ),
        }
    }

    async fn deliver(
        &self,
        one: &Waiting,
        answer: inbox::Answer,
        done: &str,
    ) -> Result<Delivered, Error> {
        let answer = match variable("USER") {
            Some(user) => answer.by(user),
            None => answer,
        };
        let delivery = self.at.session.answer(answer).await.map_err(legwork::Error::from)?;
        let call = call_of(&one.pending);
        Ok(match delivery {
            Delivery::Waiting(_) => Delivered {
                lines: format!("{done}: {call} (once the process that runs it looks)\n"),
                taken_up: false,
            },
            _ => Delivered { lines: format!("{done}: {call}\n"), taken_up: true },
        })
    }

    /// Prints what became of answers. A process that runs the session goes on by itself.
    fn print(&self, delivered: Delivered) -> Result<Exit, Error> {
        let mut text = delivered.lines;
        if delivered.taken_up {
            text.push_str(&format!("to go on: {}\n", self.at.resume));
        }
        print(&text)
    }
}

/// What became of answers.
#[derive(Default)]
struct Delivered {
    lines: String,
    /// Whether the journal has one: no process runs the session.
    taken_up: bool,
}

impl Delivered {
    fn add(&mut self, other: Self) {
        self.lines.push_str(&other.lines);
        self.taken_up |= other.taken_up;
    }
}

fn known(rule: &str) -> Result<CallRule, Error> {
    rule.parse().map_err(|error| Error::usage(format!("--rule: {error}"), "`legwork help approve`"))
}

fn object(text: &str) -> Result<Value, Error> {
    let wrong = |why: String| {
        Error::usage(format!("--arguments: {why}"), "give a JSON object, as the model would")
    };
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(wrong("it is no JSON object".to_owned())),
        Err(error) => Err(wrong(error.to_string())),
    }
}
