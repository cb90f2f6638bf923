//! Random trees of decorators: what a model is shown is what it can call, before and after a
//! run resumes, and each clash is reported with the names of both sets.
//!
//! Beside each tree stands what it has to come to, worked out on plain lists.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::FutureExt as _;
use legwork_core::budget::Amounts;
use legwork_core::event::{ExecutionStarted, InferenceStarted};
use legwork_core::state::SessionFacts;
use legwork_core::tool::ExecutionMode;
use legwork_core::{
    AgentState, EffectKey, Event, Message, Micros, Seq, SessionId, ToolCall, ToolSpec,
};
use legwork_port::toolset::Scope;
use legwork_port::{Admission, Cancellation, Deps, Emitter, Tool, ToolContext, Toolset};
use legwork_toolset::{
    Ask, Combined, Names, Next, Permissions, Schemas, SharedToolset, StepTools, ToolExt as _,
    Toolbox, Tools, ToolsetExt as _, Toolsets, dynamic, lazy,
};
use proptest::prelude::*;
use serde_json::json;

use crate::leaf::{Opened, says};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "p_a"];
const SETS: [&str; 4] = ["files", "mail", "web", "shop"];
/// The metadata value that filters look at.
const KEY: &str = "turn";

/// How a set of tools comes to be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Fixed,
    Opened,
    Dynamic,
    Lazy,
}

#[derive(Debug, Clone)]
enum Tree {
    Leaf(Kind, &'static str, Vec<&'static str>),
    Combined(Vec<Tree>),
    Only(Box<Tree>, Vec<&'static str>),
    Except(Box<Tree>, Vec<&'static str>),
    Prefixed(Box<Tree>),
    Renamed(Box<Tree>, &'static str, &'static str),
    /// Shows a tool only in turns of a number.
    Filtered(Box<Tree>, &'static str, u64),
    /// Describes the tools by the turn, and adds one in a turn of a number.
    Prepared(Box<Tree>, u64),
    Timed(Box<Tree>, u64),
    Retrying(Box<Tree>, u32),
    Limited(Box<Tree>, u32),
    Sequential(Box<Tree>),
    Tagged(Box<Tree>),
    Cached(Box<Tree>),
    /// Through a decorator that says when calls run, or how much of their results is shown.
    Held(Box<Tree>, Held),
    Wrapped(Box<Tree>),
}

/// A decorator that changes neither what is shown nor what a body answers.
#[derive(Debug, Clone, Copy)]
enum Held {
    Asked,
    Permitted,
    Deferred,
    Guarded,
    Described,
    Cut,
}

/// A tool as it is to be shown, and what its body answers.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    name: String,
    description: String,
    says: String,
    timeout: Option<u64>,
    retries: u32,
    max_calls: Option<u32>,
    sequential: bool,
    tagged: bool,
}

impl Shown {
    fn new(set: &str, name: &str) -> Self {
        let (name, says) = (name.to_owned(), format!("{set}/{name}"));
        let description = "Says who it is.".to_owned();
        let (timeout, max_calls) = (None, None);
        Self {
            name,
            description,
            says,
            timeout,
            retries: 2,
            max_calls,
            sequential: false,
            tagged: false,
        }
    }

    fn of(spec: &ToolSpec, says: String) -> Self {
        Self {
            name: spec.name.to_string(),
            description: spec.description.to_string(),
            says,
            timeout: spec.timeout.map(|limit| limit.0),
            retries: spec.max_retries,
            max_calls: spec.max_calls,
            sequential: spec.mode == ExecutionMode::Sequential,
            tagged: spec.has_tag("t"),
        }
    }
}

/// The words of a clash.
fn clash(name: &str, first: &str, second: &str) -> String {
    format!(
        "two tools are named `{name}`, one of the toolset `{first}` and one of the toolset `{second}`"
    )
}

/// The first clash within a list, whose tools are all of the sets that are named beside them.
fn clash_of(listed: &[(String, Shown)]) -> Option<String> {
    listed.iter().enumerate().find_map(|(at, (second, tool))| {
        let first = listed.get(..at)?.iter().find(|(_, other)| other.name == tool.name)?;
        Some(clash(&tool.name, &first.0, second))
    })
}

/// What is wrong with tools that are listed together, each with the set it is of.
type Clash<'a> = dyn Fn(&[(String, Shown)]) -> Option<String> + 'a;

/// All clashes within a list.
fn clashes_of(listed: &[(String, Shown)]) -> Vec<String> {
    let pairs = listed.iter().enumerate().flat_map(|(at, (second, tool))| {
        let before = listed[..at].iter().filter(|(_, other)| other.name == tool.name);
        before.map(|(first, _)| clash(&tool.name, first, second))
    });
    pairs.collect()
}

impl Tree {
    fn name(&self) -> String {
        match self {
            Self::Leaf(_, set, _) => (*set).to_owned(),
            Self::Combined(trees) => {
                format!("all of {}", trees.iter().map(Self::name).collect::<Vec<_>>().join("+"))
            }
            Self::Only(tree, _)
            | Self::Except(tree, _)
            | Self::Prefixed(tree)
            | Self::Renamed(tree, ..)
            | Self::Filtered(tree, ..)
            | Self::Prepared(tree, _)
            | Self::Timed(tree, _)
            | Self::Retrying(tree, _)
            | Self::Limited(tree, _)
            | Self::Sequential(tree)
            | Self::Tagged(tree)
            | Self::Cached(tree)
            | Self::Held(tree, _)
            | Self::Wrapped(tree) => tree.name(),
        }
    }

    /// What it comes to in a turn; or the first clash in it.
    fn shown(&self, turn: u64) -> Result<Vec<Shown>, String> {
        self.shown_with(turn, &clash_of)
    }

    /// The same; what is listed together is held against `clash`.
    fn shown_with(&self, turn: u64, clash: &Clash<'_>) -> Result<Vec<Shown>, String> {
        let each = |tree: &Tree, change: &dyn Fn(&mut Shown)| {
            let mut all = tree.shown_with(turn, clash)?;
            all.iter_mut().for_each(change);
            Ok(all)
        };
        Ok(match self {
            Self::Leaf(_, set, names) => names.iter().map(|name| Shown::new(set, name)).collect(),
            Self::Combined(trees) => {
                let mut listed = Vec::new();
                for tree in trees {
                    listed.extend(
                        tree.shown_with(turn, clash)?.into_iter().map(|tool| (tree.name(), tool)),
                    );
                    if let Some(clash) = clash(&listed) {
                        return Err(clash);
                    }
                }
                listed.into_iter().map(|(_, tool)| tool).collect()
            }
            Self::Only(tree, names) => {
                let mut all = tree.shown_with(turn, clash)?;
                all.retain(|tool| names.contains(&tool.name.as_str()));
                all
            }
            Self::Except(tree, names) => {
                let mut all = tree.shown_with(turn, clash)?;
                all.retain(|tool| !names.contains(&tool.name.as_str()));
                all
            }
            Self::Prefixed(tree) => {
                return each(tree, &|tool| tool.name = format!("p_{}", tool.name));
            }
            Self::Renamed(tree, from, to) => {
                return each(tree, &|tool| {
                    if tool.name == *from {
                        tool.name = (*to).to_owned();
                    }
                });
            }
            Self::Filtered(tree, name, when) => {
                let mut all = tree.shown_with(turn, clash)?;
                all.retain(|tool| tool.name != *name || turn == *when);
                all
            }
            Self::Prepared(tree, when) => {
                let mut all = tree.shown_with(turn, clash)?;
                all.iter_mut().for_each(|tool| tool.description = format!("In turn {turn}."));
                all.extend((turn == *when).then(|| Shown::new("prepared", "z")));
                all
            }
            Self::Timed(tree, limit) => {
                return each(tree, &|tool| {
                    tool.timeout = Some(tool.timeout.map_or(*limit, |own| own.min(*limit)));
                });
            }
            Self::Retrying(tree, most) => return each(tree, &|tool| tool.retries = *most),
            Self::Limited(tree, most) => {
                return each(tree, &|tool| {
                    tool.max_calls = Some(tool.max_calls.map_or(*most, |own| own.min(*most)));
                });
            }
            Self::Sequential(tree) => return each(tree, &|tool| tool.sequential = true),
            Self::Tagged(tree) => return each(tree, &|tool| tool.tagged = true),
            Self::Cached(tree) | Self::Held(tree, _) => tree.shown_with(turn, clash)?,
            Self::Wrapped(tree) => {
                return each(tree, &|tool| tool.says = format!("[{}]", tool.says));
            }
        })
    }

    /// The set that it stands for.
    fn set(&self) -> Arc<dyn Toolset> {
        match self {
            Self::Leaf(kind, set, names) => leaf(*kind, set, names),
            Self::Combined(trees) => {
                let all = Combined::new(self.name());
                Arc::new(trees.iter().fold(all, |all, tree| all.with(tree.set())))
            }
            Self::Only(tree, names) => Arc::new(tree.set().only(names.iter().copied())),
            Self::Except(tree, names) => Arc::new(tree.set().except(names.iter().copied())),
            Self::Prefixed(tree) => Arc::new(tree.set().prefixed("p_")),
            Self::Renamed(tree, from, to) => Arc::new(tree.set().renamed([(*from, *to)])),
            Self::Filtered(tree, name, when) => {
                let (name, when) = (*name, *when);
                let keep = move |tool: &ToolSpec, state: &AgentState| {
                    *tool.name != *name || turn(state) == when
                };
                Arc::new(tree.set().filtered(keep))
            }
            Self::Prepared(tree, when) => Arc::new(prepared(tree.set(), *when)),
            Self::Timed(tree, limit) => Arc::new(tree.set().timed(Duration::from_micros(*limit))),
            Self::Retrying(tree, most) => Arc::new(tree.set().retrying(*most)),
            Self::Limited(tree, most) => Arc::new(tree.set().limited(*most)),
            Self::Sequential(tree) => Arc::new(tree.set().mode(ExecutionMode::Sequential)),
            Self::Tagged(tree) => Arc::new(tree.set().tagged("t")),
            Self::Cached(tree) => Arc::new(tree.set().cached()),
            Self::Held(tree, held) => {
                let set = tree.set();
                Arc::new(match held {
                    Held::Asked => set.approval_required(Ask::always()),
                    Held::Permitted => {
                        let deny = NAMES[0].parse().expect("it is a rule");
                        set.permissions(Permissions::default().deny(deny).otherwise(Ask::each()))
                    }
                    Held::Deferred => set.deferred(),
                    Held::Guarded => set.guarded("none", |_| Admission::Run),
                    Held::Described => set.with_metadata("owner", "us".into()),
                    Held::Cut => set.max_result(1_000),
                })
            }
            Self::Wrapped(tree) => Arc::new(tree.set().wrapped("wrapped", async |next: Next| {
                format!("[{}]", next.run().await.to_text())
            })),
        }
    }
}

fn leaf(kind: Kind, set: &'static str, names: &[&'static str]) -> Arc<dyn Toolset> {
    let tools: Vec<_> = names.iter().map(|name| says(set, name)).collect();
    match kind {
        Kind::Fixed => Arc::new(Tools::new(set, tools)),
        Kind::Opened => Arc::new(Opened(set, tools)),
        Kind::Dynamic => Arc::new(dynamic(set, move |_| {
            let tools = tools.clone();
            async { Ok(tools) }
        })),
        Kind::Lazy => Arc::new(lazy(set, move |_| {
            let tools = tools.clone();
            async move { Ok(Tools::new(set, tools)) }
        })),
    }
}

fn prepared(set: Arc<dyn Toolset>, when: u64) -> impl Toolset {
    set.prepared(move |tools, state| async move {
        let turn = turn(&state);
        let described = |spec: ToolSpec| {
            let description = format!("In turn {turn}.").into();
            ToolSpec { description, ..spec }
        };
        let mut tools: Vec<Arc<dyn Tool>> =
            tools.into_iter().map(|tool| tool.with_spec(described)).collect();
        tools.extend((turn == when).then(|| says("prepared", "z")));
        Ok(tools)
    })
}

fn turn(state: &AgentState) -> u64 {
    state.context().metadata.get(KEY).and_then(|turn| turn.as_u64()).unwrap_or_default()
}

fn names() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::sample::subsequence(NAMES.to_vec(), 1..=3)
}

fn tree() -> impl Strategy<Value = Tree> {
    let kind = prop_oneof![
        3 => Just(Kind::Fixed),
        1 => Just(Kind::Opened),
        1 => Just(Kind::Dynamic),
        1 => Just(Kind::Lazy),
    ];
    let name = || proptest::sample::select(NAMES.to_vec());
    let leaf = (kind, proptest::sample::select(SETS.to_vec()), names())
        .prop_map(|(kind, set, names)| Tree::Leaf(kind, set, names));
    leaf.prop_recursive(5, 16, 3, move |inner| {
        let one = || inner.clone().prop_map(Box::new);
        let held = proptest::sample::select(vec![
            Held::Asked,
            Held::Permitted,
            Held::Deferred,
            Held::Guarded,
            Held::Described,
            Held::Cut,
        ]);
        prop_oneof![
            4 => proptest::collection::vec(inner.clone(), 2..=3).prop_map(Tree::Combined),
            1 => (one(), names()).prop_map(|(tree, names)| Tree::Only(tree, names)),
            1 => (one(), names()).prop_map(|(tree, names)| Tree::Except(tree, names)),
            2 => one().prop_map(Tree::Prefixed),
            1 => (one(), name(), name()).prop_map(|(tree, from, to)| Tree::Renamed(tree, from, to)),
            2 => (one(), name(), 0..3_u64).prop_map(|(tree, name, turn)| Tree::Filtered(tree, name, turn)),
            1 => (one(), 0..3_u64).prop_map(|(tree, turn)| Tree::Prepared(tree, turn)),
            1 => (one(), 1..9_u64).prop_map(|(tree, limit)| Tree::Timed(tree, limit)),
            1 => (one(), 0..9_u32).prop_map(|(tree, most)| Tree::Retrying(tree, most)),
            1 => (one(), 1..9_u32).prop_map(|(tree, most)| Tree::Limited(tree, most)),
            1 => one().prop_map(Tree::Sequential),
            1 => one().prop_map(Tree::Tagged),
            1 => one().prop_map(Tree::Cached),
            2 => (one(), held).prop_map(|(tree, held)| Tree::Held(tree, held)),
            1 => one().prop_map(Tree::Wrapped),
        ]
    })
}

/// A run of an agent that has this set.
fn toolbox(set: Arc<dyn Toolset>, session: &SessionId) -> Result<Toolbox, Vec<String>> {
    let mut problems = Vec::new();
    let sets = vec![SharedToolset::new(set)];
    let toolsets =
        Toolsets::new(Vec::new(), sets, Names::default(), &Schemas::default(), &mut problems);
    if problems.is_empty() {
        return Ok(Toolbox::new(Arc::new(toolsets), Emitter::none(session.clone())));
    }
    Err(problems)
}

fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("nothing here waits")
}

fn scope(session: &SessionId) -> Scope {
    Scope::new(session.clone(), Deps::default(), Cancellation::new())
}

/// What is shown, and what each of these tools answers when it is called.
fn called(tools: &StepTools, state: &AgentState) -> Vec<Shown> {
    let call = |spec: &Arc<ToolSpec>| {
        let (at, found) = tools.find(state, &spec.name).expect("what is shown can be called");
        assert_eq!(found, spec);
        let call = ToolCall::new("c", Arc::clone(&spec.name), "{}");
        let key = EffectKey { session: state.session().clone(), entry: Seq(1), index: 0 };
        let context = ToolContext::new(state.clone(), key, Cancellation::new());
        let outcome = now(tools.tool(at).expect("it is there").call(&call, &context));
        Shown::of(spec, outcome.to_text())
    };
    tools.specs.iter().map(call).collect()
}

fn begins(state: AgentState, tools: &StepTools) -> AgentState {
    let shown = tools.unless_known(&state);
    state.with(Event::InferenceStarted(InferenceStarted {
        reserved: Amounts::default(),
        tools: shown,
        request: None,
    }))
}

fn check(tree: &Tree, turn: u64) {
    let session = SessionId::new("s");
    let input = vec![Arc::new(Message::user("go"))];
    let state = AgentState::new(session.clone())
        .with(Event::ExecutionStarted(ExecutionStarted { input }))
        .with_metadata(KEY, Some(json!(turn)));
    let expected = tree.shown(turn).and_then(|shown| {
        let listed: Vec<_> = shown.iter().map(|tool| (tree.name(), tool.clone())).collect();
        clash_of(&listed).map_or(Ok(shown), Err)
    });
    let run = match toolbox(tree.set(), &session) {
        Ok(run) => run,
        Err(problems) => return explained(tree, &problems),
    };
    now(run.open(&scope(&session)));
    let shown = match (now(run.to_show(&state)), expected) {
        (Err(why), Err(clash)) => return assert!(why.contains(&clash), "{why:?}, not {clash:?}"),
        (Err(why), Ok(_)) => panic!("{why}"),
        (Ok(_), Err(clash)) => panic!("not reported: {clash}"),
        (Ok(shown), Ok(expected)) => {
            let begun = begins(state.clone(), &shown);
            assert_eq!(called(&shown, &begun), expected);
            (shown, expected, begun)
        }
    };
    let (shown, expected, begun) = shown;
    // What the step was not shown cannot be called, though the set may have it in another turn.
    for name in NAMES.iter().chain(&["z", "p_b"]) {
        let is_shown = expected.iter().any(|tool| tool.name == *name);
        assert_eq!(shown.find(&begun, name).is_ok(), is_shown, "{name}");
    }
    // The state changes within the step, and the process dies.
    let entries: Vec<_> =
        begun.with_metadata(KEY, Some(json!(turn + 1))).uncommitted().iter().cloned().collect();
    let facts = |until: usize| SessionFacts::of(&session, entries.iter().take(until));
    let fold = |until: usize| AgentState::fold(facts(until), entries.iter().take(until).cloned());
    let resumed = fold(entries.len());
    let step = resumed.current_step().expect("a step is under way").id;
    let run = toolbox(tree.set(), &session).expect("it was right before");
    run.list_as_of(fold(usize::try_from(step.0).expect("few") - 1));
    now(run.open(&scope(&session)));
    let after = now(run.shown(&resumed)).expect("it was right before");
    assert_eq!(called(&after, &resumed), expected, "after it resumed");
}

/// What is said when the agent is built is true: it names a clash, or a name that is not there.
fn explained(tree: &Tree, problems: &[String]) {
    let clashes: Vec<_> = (0..4).flat_map(|turn| all_clashes(tree, turn)).collect();
    for problem in problems {
        let missing = problem.contains("and there is no such tool");
        let clash = problem.starts_with("two tools are named");
        assert!(missing || clash, "{problem}");
        if clash {
            let named: Vec<_> = problem.split('`').skip(1).step_by(2).collect();
            assert_eq!(named.len(), 3, "both owners are named: {problem}");
            let is_it = |clash: &String| problem.contains(clash.as_str());
            assert!(clashes.iter().any(is_it), "it is none of {clashes:?}: {problem}");
        }
    }
}

/// The clashes of a tree in a turn, and of each tree in it.
fn all_clashes(tree: &Tree, turn: u64) -> Vec<String> {
    let clashes = RefCell::new(Vec::new());
    let shown = tree.shown_with(turn, &|listed| {
        clashes.borrow_mut().extend(clashes_of(listed));
        None
    });
    let listed: Vec<_> = shown.into_iter().flatten().map(|tool| (tree.name(), tool)).collect();
    clashes.into_inner().into_iter().chain(clashes_of(&listed)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn s6_11_what_a_tree_of_decorators_shows_is_what_can_be_called(
        tree in tree(),
        turn in 0..3_u64,
    ) {
        check(&tree, turn);
    }
}

#[test]
fn s6_11_a_decorator_that_names_a_tool_which_is_not_there_says_so() {
    let set = || Tools::new("files", [says("files", "read")]);
    for (set, list) in [
        (set().renamed([("raed", "get")]), "renamed"),
        (set().only(["raed"]), "only"),
        (set().except(["raed"]), "except"),
    ] {
        let wrong = format!("`{list}` names `raed`, and there is no such tool");
        let nearest = "did you mean `read`? there are read";
        assert_eq!(set.problems(), [format!("{wrong}: {nearest}")]);
    }
    assert!(set().renamed([("read", "get")]).except(["get"]).problems().is_empty());
}

#[test]
fn s6_11_a_limit_of_time_is_the_shorter_one() {
    let tools = Tools::new("files", [says("files", "a")]);
    let set = tools.timed(Duration::from_secs(5)).timed(Duration::from_secs(9));
    let tools = set.tools().unwrap();
    assert_eq!(tools[0].spec().timeout, Some(Micros(5_000_000)));
}

#[test]
fn s6_11_a_tool_knows_the_chain_that_it_went_through() {
    let files = Tools::new("files", [says("files", "a"), says("files", "b")]).prefixed("fs_");
    let all = Combined::new("all").with(files).with(Tools::new("mail", [says("mail", "a")]));
    let set = all.renamed([("a", "send")]).limited(3).filtered(|_, _| true);
    let chains: Vec<_> = set.tools().unwrap().iter().map(|tool| tool.chain().join(" > ")).collect();
    assert_eq!(
        chains,
        [
            "files > prefixed(\"fs_\") > limited(3) > filtered",
            "files > prefixed(\"fs_\") > limited(3) > filtered",
            "all > renamed(a as send) > limited(3) > filtered",
        ]
    );
}
