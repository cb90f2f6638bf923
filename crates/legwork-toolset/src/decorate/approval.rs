//! Tools whose calls a person has to approve.

use std::sync::Arc;

use legwork_core::approval::{Remember, Request};
use legwork_core::{AgentState, Micros, ToolSpec};
use legwork_port::{Admission, AdmittedCall, Tool};
use serde_json::Value;

use super::decorated::Decorator;
use super::layered::{Admits, Layered};
use super::rule::CallRule;

/// Which calls a person is asked about, and how often.
///
/// ```
/// use std::time::Duration;
///
/// use legwork_toolset::Ask;
///
/// // Writing needs approval, once for each file and content; it can be given for a day.
/// let ask = Ask::once()
///     .when(|call| call.spec.has_tag("write"))
///     .because("it changes files")
///     .expires_in(Duration::from_secs(24 * 60 * 60));
/// # let _ = ask;
/// ```
#[derive(Clone)]
pub struct Ask {
    again: Again,
    when: Option<Arc<When>>,
    reason: String,
    expires_in: Option<Micros>,
}

type When = dyn Fn(&AskedCall<'_>) -> bool + Send + Sync;

/// For which later calls an approval holds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Again {
    /// Nobody is asked.
    Never,
    /// Each call is asked about, whatever was approved before.
    Always,
    /// Each call is asked about, but those that a person said are approved, too.
    EachCall,
    /// Calls of the tool with the same arguments are not asked about again.
    SameCall,
    /// Calls of the tool are not asked about again.
    Tool,
}

/// A call that may need approval.
pub struct AskedCall<'a> {
    /// The spec of the tool.
    pub spec: &'a ToolSpec,
    /// The arguments that it would run with.
    pub arguments: &'a Value,
    /// The state before it runs.
    pub state: &'a AgentState,
}

impl Ask {
    fn new(again: Again) -> Self {
        let (when, expires_in) = Default::default();
        Self { again, when, reason: "the tool needs approval".to_owned(), expires_in }
    }

    /// About each call, also if a person said that calls like it are approved.
    pub fn always() -> Self {
        Self::new(Again::Always)
    }

    /// About no call.
    pub fn never() -> Self {
        Self::new(Again::Never)
    }

    /// About each call, but those that a person said are approved with another one: all of a tool,
    /// or all that a [`CallRule`] means.
    pub fn each() -> Self {
        Self::new(Again::EachCall)
    }

    /// About each call whose tool and arguments were not approved before in the session.
    pub fn once() -> Self {
        Self::new(Again::SameCall)
    }

    /// About each call of a tool, until one of them is approved in the session.
    pub fn once_per_session() -> Self {
        Self::new(Again::Tool)
    }

    /// The same, about calls only for which this holds.
    ///
    /// It must be quick, and say the same of the same call.
    #[must_use]
    pub fn when(self, when: impl Fn(&AskedCall<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self { when: Some(Arc::new(when)), ..self }
    }

    /// The same with the reason that the person reads.
    ///
    /// An approval of before covers calls for this reason alone: give each of several policies of a
    /// tool its own.
    #[must_use]
    pub fn because(self, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..self }
    }

    /// The same with a time after which a call cannot be approved any more; it is denied then.
    #[must_use]
    pub fn expires_in(self, time: impl Into<Micros>) -> Self {
        Self { expires_in: Some(time.into()), ..self }
    }

    /// How often is asked, in a word.
    pub(super) fn name(&self) -> &'static str {
        match self.again {
            Again::Never => "never",
            Again::Always => "always",
            Again::EachCall => "each",
            Again::SameCall => "once",
            Again::Tool => "once_per_session",
        }
    }

    /// Whether what was approved before covers a call.
    fn is_covered(&self, spec: &ToolSpec, call: &AdmittedCall<'_>) -> bool {
        let spec_digest = call.spec();
        let of_tool = || {
            let all = call.state.facts().approvals.iter().filter(|approved| approved.of_policy);
            let is_own = |reason: &Option<String>| reason.as_deref() == Some(&*self.reason);
            all.filter(move |one| {
                one.tool == *call.shown && one.spec.as_ref() == spec_digest && is_own(&one.reason)
            })
        };
        let remembered = || {
            of_tool().any(|approved| match &approved.remember {
                Some(Remember::Tool) => true,
                Some(Remember::Rule(rule)) => {
                    rule.parse::<CallRule>().is_ok_and(|rule| {
                        // The person knows the tool by the name that is shown.
                        *rule.tool_name() == **call.shown && rule.is_about(spec, call.arguments)
                    })
                }
                _ => false,
            })
        };
        match self.again {
            Again::Never => true,
            Again::Always => false,
            Again::EachCall => remembered(),
            Again::Tool => of_tool().next().is_some(),
            Again::SameCall => {
                let what = call.what();
                remembered() || of_tool().any(|approved| approved.what == what)
            }
        }
    }
}

impl Ask {
    /// What becomes of a call of a tool with this spec: it runs, or a person is asked.
    pub fn admit(&self, spec: &ToolSpec, call: &AdmittedCall<'_>) -> Admission {
        let asked = AskedCall { spec, arguments: call.arguments, state: call.state };
        let applies = self.when.as_ref().is_none_or(|when| when(&asked));
        if call.approved || !applies || self.is_covered(spec, call) {
            return Admission::Run;
        }
        let request = Request::new(&*self.reason);
        // No approval covers a later call where each call is asked about, whatever was approved.
        let request = match self.again {
            Again::Always => request,
            _ => request.of_policy(),
        };
        Admission::Ask(Request { expires_in: self.expires_in, ..request })
    }
}

impl Admits for Ask {
    fn admit(&self, spec: &ToolSpec, call: &AdmittedCall<'_>) -> Admission {
        self.admit(spec, call)
    }
}

impl Decorator for Ask {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let label = format!("approval_required({})", self.name());
        let admits = Arc::new(self.clone());
        Some(Arc::new(Layered::new(set, tool, label.into()).with_admission(admits)))
    }
}
