//! Toolsets made of others: fewer tools, other names, other ways to be called.
//!
//! ```
//! use std::time::Duration;
//!
//! # use legwork_port::Toolset;
//! use legwork_toolset::ToolsetExt as _;
//!
//! # fn tools(files: impl Toolset + 'static) -> impl Toolset {
//! files
//!     .prefixed("fs_")
//!     .filtered(|tool, state| !tool.has_tag("write") || state.used().cost.0 < 1_000_000)
//!     .retrying(2)
//!     .timed(Duration::from_secs(30))
//! # }
//! ```

mod approval;
mod cached;
mod decorated;
mod execution_key;
mod filtered;
pub(crate) mod fixed;
mod guarded;
mod layered;
mod names;
mod paged;
mod permissions;
mod prepared;
mod renamed;
mod rule;
mod search_index;
mod searchable;
mod single;
mod specs;
mod wrapped;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::tool::{Deferral, ExecutionMode, IntoOutcome};
use legwork_core::{AgentState, ToolSpec};
use legwork_port::toolset::Error;
use legwork_port::{Admission, AdmittedCall, Tool, Toolset};
use serde_json::Value;

pub use approval::{Ask, AskedCall};
use cached::Cached;
pub use decorated::Decorated;
pub(crate) use decorated::Listing;
use filtered::Filtered;
use guarded::Guarded;
pub use names::{List, Names};
use paged::Paged;
pub use permissions::Permissions;
use prepared::Prepared;
use renamed::Renamed;
pub use rule::{CallRule, InvalidRule, subject};
use searchable::Searchable;
pub use single::ToolExt;
use specs::Respecified;
pub use wrapped::Next;
use wrapped::Wrapped;

/// Decorators of toolsets; each returns another toolset.
///
/// A decorator applies to what the one before it shows: `files.prefixed("fs_").only(["fs_read"])`
/// names the tools by their new names.
pub trait ToolsetExt: Toolset + Sized + 'static {
    /// Only these tools.
    ///
    /// A name of which there is no tool is an error of building the agent, if the tools are known
    /// then.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use legwork_port::{Tool, Toolset};
    /// # use legwork_toolset::{Tools, ToolsetExt as _};
    /// # fn of(files: Vec<Arc<dyn Tool>>) -> impl Toolset {
    /// Tools::new("files", files).only(["read", "list"])
    /// # }
    /// ```
    fn only<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Decorated {
        Decorated::new(self, Names::only(names.into_iter().map(Into::into)))
    }

    /// All but these tools. A name of which there is no tool is an error as with
    /// [`only`](Self::only).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use legwork_port::{Tool, Toolset};
    /// # use legwork_toolset::{Tools, ToolsetExt as _};
    /// # fn of(files: Vec<Arc<dyn Tool>>) -> impl Toolset {
    /// Tools::new("files", files).except(["write"])
    /// # }
    /// ```
    fn except<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Decorated {
        Decorated::new(self, Names::except(names.into_iter().map(Into::into)))
    }

    /// In each step, only the tools that a function keeps, by their specs and the state.
    ///
    /// A tool that is hidden cannot be called in that step. If a run resumes in the middle of a
    /// step, the function is given the state with which the step began.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(files: impl Toolset + 'static) -> impl Toolset {
    /// // Writing comes after looking.
    /// files.filtered(|tool, state| !tool.has_tag("write") || state.last_step_result().is_some())
    /// # }
    /// ```
    fn filtered(
        self,
        keep: impl Fn(&ToolSpec, &AgentState) -> bool + Send + Sync + 'static,
    ) -> Decorated {
        Decorated::new(self, Filtered::new(keep))
    }

    /// The tools under names that begin with a prefix.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(files: impl Toolset + 'static) -> impl Toolset {
    /// files.prefixed("fs_") // `read` is now `fs_read`
    /// # }
    /// ```
    fn prefixed(self, prefix: impl Into<String>) -> Decorated {
        let prefix = prefix.into();
        let label = format!("prefixed({prefix:?})");
        Decorated::new(
            self,
            Respecified::new(label, move |spec| {
                let name = format!("{prefix}{}", spec.name);
                ToolSpec { name: name.into(), ..spec }
            }),
        )
    }

    /// Some of the tools under other names: pairs of the present name and the new one.
    ///
    /// A present name of which there is no tool is an error as with [`only`](Self::only).
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(files: impl Toolset + 'static) -> impl Toolset {
    /// files.renamed([("read", "open_file"), ("list", "list_files")])
    /// # }
    /// ```
    fn renamed<A: Into<String>, B: Into<String>>(
        self,
        names: impl IntoIterator<Item = (A, B)>,
    ) -> Decorated {
        Decorated::new(
            self,
            Renamed::new(names.into_iter().map(|(from, to)| (from.into(), to.into()))),
        )
    }

    /// In each step, what a function makes of the tools: other descriptions, others, further ones.
    ///
    /// It is asked once a step, and once more if a hook changed the state before the step began.
    /// If a run resumes in the middle of a step, it is given the state with which the step began.
    /// [`ToolExt::with_spec`] describes a tool in another way.
    ///
    /// ```
    /// use legwork_port::core::ToolSpec;
    /// # use legwork_port::Toolset;
    /// use legwork_toolset::{ToolExt as _, ToolsetExt as _};
    ///
    /// # fn of(mail: impl Toolset + 'static) -> impl Toolset {
    /// mail.prepared(async |tools, state| {
    ///     let who = state.session().to_string();
    ///     let named = |spec: ToolSpec| {
    ///         let description = format!("{} You write as {who}.", spec.description);
    ///         ToolSpec { description: description.into(), ..spec }
    ///     };
    ///     Ok(tools.into_iter().map(|tool| tool.with_spec(named)).collect())
    /// })
    /// # }
    /// ```
    fn prepared<F, R>(self, prepare: F) -> Decorated
    where
        F: Fn(Vec<Arc<dyn Tool>>, AgentState) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Vec<Arc<dyn Tool>>, Error>> + Send + 'static,
    {
        Decorated::new(self, Prepared::new(prepare))
    }

    /// The tools with another number of retries in a row that a model gets.
    ///
    /// They count as those of the tool itself: calls whose arguments do not fit, and calls of
    /// which the body asked for a correction.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(files: impl Toolset + 'static) -> impl Toolset {
    /// files.retrying(5)
    /// # }
    /// ```
    fn retrying(self, max_retries: u32) -> Decorated {
        let label = format!("retrying({max_retries})");
        Decorated::new(self, Respecified::new(label, move |spec| spec.max_retries(max_retries)))
    }

    /// The tools with a time limit for a call; a shorter one of a tool itself stays.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(files: impl Toolset + 'static) -> impl Toolset {
    /// files.timed(Duration::from_secs(30))
    /// # }
    /// ```
    fn timed(self, limit: Duration) -> Decorated {
        let label = format!("timed({limit:?})");
        let timed = move |spec: ToolSpec| {
            let limit = legwork_core::Micros::from(limit);
            let limit = spec.timeout.map_or(limit, |own| own.min(limit));
            spec.timeout(limit)
        };
        Decorated::new(self, Respecified::new(label, timed))
    }

    /// The tools, each of which may be called at most this often in an execution; a lower limit
    /// of a tool itself stays.
    ///
    /// A further call is blocked, and the model reads why. The tool is still shown: what is
    /// shown would otherwise change, and the provider could not use its prompt cache.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(web: impl Toolset + 'static) -> impl Toolset {
    /// web.limited(10)
    /// # }
    /// ```
    fn limited(self, max_calls: u32) -> Decorated {
        let label = format!("limited({max_calls})");
        let limited = move |spec: ToolSpec| {
            let max_calls = spec.max_calls.map_or(max_calls, |own| own.min(max_calls));
            spec.max_calls(max_calls)
        };
        Decorated::new(self, Respecified::new(label, limited))
    }

    /// The tools, of whose results a model is sent at most this many bytes of text and JSON; a
    /// lower limit of a tool itself stays.
    ///
    /// The rest is cut. [`paged`](Self::paged) lets the model read it.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(web: impl Toolset + 'static) -> impl Toolset {
    /// web.max_result(20_000)
    /// # }
    /// ```
    fn max_result(self, bytes: u64) -> Decorated {
        let label = format!("max_result({bytes})");
        let limited = move |spec: ToolSpec| {
            let bytes = spec.max_result.map_or(bytes, |own| own.min(bytes));
            spec.max_result(bytes)
        };
        Decorated::new(self, Respecified::new(label, limited))
    }

    /// The tools, the text of whose results comes in pages of this many bytes.
    ///
    /// A read-only tool takes one more argument, `offset`, with which the model reads on; for each
    /// page it runs again, or what it said is kept: `web.cached().paged(20_000)`. Tools that are
    /// not read-only, and those that have an argument `offset` of their own, stay as they are.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(web: impl Toolset + 'static) -> impl Toolset {
    /// web.cached().paged(20_000)
    /// # }
    /// ```
    fn paged(self, bytes: usize) -> Decorated {
        Decorated::new(self, Paged::new(bytes))
    }

    /// The tools, hidden until the model finds them: for agents with hundreds of tools.
    ///
    /// What is shown is a tool `tool_search`, which finds tools by name, description, tags and
    /// arguments, and names them with the first line of their descriptions. A tool that was found
    /// is shown in whole from the next step on, until the execution ends; a resumed execution
    /// reads in its journal what was found. A call of a tool that was not found is refused, as
    /// that of any tool that is not shown.
    ///
    /// Decorate the tools before, so that they are found by the names under which they are shown.
    /// Of the toolsets of one agent, one can have a tool of this name: combine them first, or
    /// rename it (`renamed([("tool_search", "find_mail_tools")])`).
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::{Combined, ToolsetExt as _};
    /// # fn of(mail: impl Toolset + 'static, files: impl Toolset + 'static) -> impl Toolset {
    /// Combined::new("office").with(mail.prefixed("mail_")).with(files).searchable()
    /// # }
    /// ```
    fn searchable(self) -> Decorated {
        let searchable = Searchable::new(self.name());
        Decorated::new(self, searchable)
    }

    /// The tools, whose results are kept for calls with the same arguments in one execution.
    ///
    /// Only results of tools that are read-only are kept, and a call of another tool of the set
    /// forgets them. They are kept in this process: after a crash a call runs again.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(web: impl Toolset + 'static) -> impl Toolset {
    /// web.cached()
    /// # }
    /// ```
    fn cached(self) -> Decorated {
        Decorated::new(self, Cached::default())
    }

    /// The tools with an execution mode.
    ///
    /// ```
    /// use legwork_port::core::tool::ExecutionMode;
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(printer: impl Toolset + 'static) -> impl Toolset {
    /// printer.mode(ExecutionMode::Sequential)
    /// # }
    /// ```
    fn mode(self, mode: ExecutionMode) -> Decorated {
        let label = format!("mode({mode:?})");
        Decorated::new(self, Respecified::new(label, move |spec| spec.mode(mode)))
    }

    /// The tools with a tag.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(web: impl Toolset + 'static) -> impl Toolset {
    /// web.tagged("network")
    /// # }
    /// ```
    fn tagged(self, tag: impl Into<String>) -> Decorated {
        let tag = tag.into();
        let label = format!("tagged({tag:?})");
        Decorated::new(self, Respecified::new(label, move |spec| spec.tag(tag.clone())))
    }

    /// The tools with a value for people and programs, which the model never sees.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(web: impl Toolset + 'static) -> impl Toolset {
    /// web.with_metadata("owner", "the search team".into())
    /// # }
    /// ```
    fn with_metadata(self, name: impl Into<String>, value: Value) -> Decorated {
        let name = name.into();
        let label = format!("with_metadata({name:?})");
        let with = move |spec: ToolSpec| spec.with_metadata(name.clone(), value.clone());
        Decorated::new(self, Respecified::new(label, with))
    }

    /// The tools, whose calls a person has to approve before they run.
    ///
    /// The rest of the turn runs first, then the execution rests until the call is answered, by
    /// whoever has access to the store.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// use legwork_toolset::Ask;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(files: impl Toolset + 'static) -> impl Toolset {
    /// files.approval_required(Ask::always().when(|call| call.spec.has_tag("write")))
    /// # }
    /// ```
    fn approval_required(self, ask: Ask) -> Decorated {
        Decorated::new(self, ask)
    }

    /// The tools, whose calls run, need approval or never run, by rules.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// use legwork_toolset::Permissions;
    /// # use legwork_toolset::{InvalidRule, ToolsetExt as _};
    /// # fn of(coding: impl Toolset + 'static) -> Result<impl Toolset, InvalidRule> {
    /// let permissions = Permissions::default().deny("bash(git push:*)".parse()?);
    /// Ok(coding.permissions(permissions))
    /// # }
    /// ```
    fn permissions(self, permissions: Permissions) -> Decorated {
        Decorated::new(self, permissions)
    }

    /// The tools, whose bodies do not run: their results come from outside, and are given as
    /// answers to their calls.
    ///
    /// ```
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(browser: impl Toolset + 'static) -> impl Toolset {
    /// // The page runs them, and sends what came of it.
    /// browser.deferred()
    /// # }
    /// ```
    fn deferred(self) -> Decorated {
        let external = |_: &AdmittedCall<'_>| Admission::Defer(Deferral::External);
        Decorated::new(self, Guarded::new("deferred".to_owned(), external))
    }

    /// The tools, each call of which a function checks before it runs: it may let it run, block
    /// it, say what is wrong with its arguments, ask for approval, or defer it.
    ///
    /// The function must be quick, have no effect, and say the same of the same call and state.
    ///
    /// ```
    /// use legwork_port::Admission;
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(mail: impl Toolset + 'static) -> impl Toolset {
    /// mail.guarded("own domain", |call| match call.arguments["to"].as_str() {
    ///     Some(to) if to.ends_with("@example.com") => Admission::Run,
    ///     _ => Admission::Invalid("`to` must be an address of example.com".to_owned()),
    /// })
    /// # }
    /// ```
    fn guarded(
        self,
        label: impl Into<String>,
        check: impl Fn(&AdmittedCall<'_>) -> Admission + Send + Sync + 'static,
    ) -> Decorated {
        Decorated::new(self, Guarded::new(label.into(), check))
    }

    /// The tools, each call of which a function runs: it may look at the call and the outcome,
    /// answer in place of the tool, or run it several times.
    ///
    /// ```
    /// use legwork_toolset::Next;
    /// # use legwork_port::Toolset;
    /// # use legwork_toolset::ToolsetExt as _;
    /// # fn of(web: impl Toolset + 'static) -> impl Toolset {
    /// web.wrapped("logged", async |next: Next| {
    ///     let outcome = next.run().await;
    ///     eprintln!("{}: {}", next.call().name, outcome.to_text());
    ///     outcome
    /// })
    /// # }
    /// ```
    fn wrapped<F, R>(self, label: impl Into<String>, run: F) -> Decorated
    where
        F: Fn(Next) -> R + Send + Sync + 'static,
        R: Future<Output: IntoOutcome> + Send + 'static,
    {
        Decorated::new(self, Wrapped::new(label.into(), run))
    }
}

impl<T: Toolset + 'static> ToolsetExt for T {}
