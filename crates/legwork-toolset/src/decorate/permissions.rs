//! Which calls run, need approval, or never run, by rules.

use std::sync::Arc;

use legwork_core::ToolSpec;
use legwork_port::{Admission, AdmittedCall, Tool};

use super::approval::Ask;
use super::decorated::Decorator;
use super::layered::{Admits, Layered};
use super::rule::CallRule;

/// Who blocks a call that a rule refuses.
const BY: &str = "permissions";

/// Which calls run, need approval, or never run, by rules.
///
/// A call that a `deny` rule may mean never runs. One that an `ask` rule may mean needs approval
/// each time, whatever was approved before. One that an `allow` rule means is not asked about here.
/// For the others `otherwise` decides; without it they run. So the order of rules does not matter:
/// deny goes before ask, and ask before allow. What a tool asks of its own accord, no rule allows.
///
/// Rules that deny or ask are read widely ([`CallRule::may_mean`]), rules that allow narrowly
/// ([`CallRule::means`]).
///
/// ```
/// use legwork_toolset::{Ask, Permissions};
///
/// let permissions = Permissions::default()
///     .allow("bash(cargo test:*)".parse()?)
///     .ask("bash(git push:*)".parse()?)
///     .deny("write(.github/**)".parse()?)
///     .otherwise(Ask::each().when(|call| !call.spec.has_tag("read")));
/// # let _ = permissions;
/// # Ok::<(), legwork_toolset::InvalidRule>(())
/// ```
#[derive(Clone, Default)]
pub struct Permissions {
    deny: Vec<CallRule>,
    ask: Vec<CallRule>,
    allow: Vec<CallRule>,
    otherwise: Option<Ask>,
}

impl Permissions {
    /// The same; calls that the rule may mean never run.
    #[must_use]
    pub fn deny(mut self, rule: CallRule) -> Self {
        self.deny.push(rule);
        self
    }

    /// The same; calls that the rule may mean need approval each time.
    #[must_use]
    pub fn ask(mut self, rule: CallRule) -> Self {
        self.ask.push(rule);
        self
    }

    /// The same; calls that the rule means need no approval, unless another rule says so.
    #[must_use]
    pub fn allow(mut self, rule: CallRule) -> Self {
        self.allow.push(rule);
        self
    }

    /// The same with what is asked about calls that no rule means.
    #[must_use]
    pub fn otherwise(self, ask: Ask) -> Self {
        Self { otherwise: Some(ask), ..self }
    }

    /// What becomes of a call of a tool with this spec.
    ///
    /// A rule names a tool as the model is shown it. One that denies or asks may also name it as it is
    /// called here, before it is renamed.
    pub fn admit(&self, spec: &ToolSpec, call: &AdmittedCall<'_>) -> Admission {
        let names = |rule: &CallRule| [&**call.shown, &*spec.name].contains(&rule.tool_name());
        let may_mean = |rule: &&CallRule| names(rule) && rule.may_be_about(spec, call.arguments);
        if let Some(rule) = self.deny.iter().find(may_mean) {
            let reason = format!("the rule `{rule}` denies this call");
            return Admission::Block { by: BY.to_owned(), reason };
        }
        if let Some(rule) = self.ask.iter().find(may_mean) {
            return Ask::always().because(format!("the rule `{rule}` asks")).admit(spec, call);
        }
        let is_allowed = self
            .allow
            .iter()
            .any(|rule| rule.tool_name() == &**call.shown && rule.is_about(spec, call.arguments));
        match &self.otherwise {
            Some(ask) if !is_allowed => ask.admit(spec, call),
            _ => Admission::Run,
        }
    }

    fn has_rules(&self) -> bool {
        [&self.deny, &self.ask, &self.allow].iter().any(|rules| !rules.is_empty())
    }

    /// The rules about a tool in words, such as `deny write(.github/**)`.
    fn rules_about(&self, tool: &str) -> Vec<String> {
        let of = |verb: &'static str, rules: &[CallRule]| {
            let about = rules.iter().filter(|rule| rule.tool_name() == tool);
            about.map(|rule| format!("{verb} {rule}")).collect::<Vec<_>>()
        };
        [of("deny", &self.deny), of("ask", &self.ask), of("allow", &self.allow)].concat()
    }
}

impl Admits for Permissions {
    fn admit(&self, spec: &ToolSpec, call: &AdmittedCall<'_>) -> Admission {
        self.admit(spec, call)
    }
}

impl Decorator for Permissions {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        if !self.has_rules() {
            return match &self.otherwise {
                Some(ask) => ask.tool(set, tool),
                None => Some(Arc::clone(tool)),
            };
        }
        let mut rules = self.rules_about(&tool.spec().name);
        rules.extend(self.otherwise.as_ref().map(|ask| format!("otherwise ask {}", ask.name())));
        let label = format!("permissions({})", rules.join(", "));
        let layered = Layered::new(set, tool, label.into());
        // Rules about other tools are not shown, but this one may get the name of such a tool.
        let layered = if rules.is_empty() { layered.with_chain(tool.chain()) } else { layered };
        Some(Arc::new(layered.with_admission(Arc::new(self.clone()))))
    }
}
