//! The arguments of calls: whether they fit the schema of their tool, and hostile ones.
//!
//! The tools are those of the whole suite (`suite`), each with arguments that are made from its
//! schema (`instance`), or that are hostile to any tool (`hostile`).

mod hostile;
mod instance;
mod suite;

use std::sync::Arc;

use legwork::core::tool::FailureKind;
use legwork::prelude::*;
use legwork::tool::from_schema;
use legwork_core::ToolSpec;
use legwork_testkit::{ScriptedModel, Turn};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

/// What two independent implementations of JSON Schema say of arguments.
struct Judges {
    jsonschema: jsonschema::Validator,
    boon: (boon::Schemas, boon::SchemaIndex),
}

impl Judges {
    fn of(spec: &ToolSpec) -> Self {
        let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
        compiler.add_resource("arguments.json", spec.parameters.clone()).unwrap();
        let index = compiler.compile("arguments.json", &mut schemas).unwrap();
        let jsonschema = jsonschema::validator_for(&spec.parameters).unwrap();
        Self { jsonschema, boon: (schemas, index) }
    }

    /// Whether arguments fit, as they came from the model.
    fn fit(&self, text: &str) -> bool {
        let text = if text.trim().is_empty() { "{}" } else { text };
        let Ok(value) = serde_json::from_str::<Value>(text) else { return false };
        let verdict = self.jsonschema.is_valid(&value);
        let (schemas, index) = &self.boon;
        assert_eq!(schemas.validate(&value, *index).is_ok(), verdict, "they do not agree: {text}");
        verdict
    }
}

/// What an agent makes of calls with these arguments, one of each tool: whether the body ran.
///
/// The tools do nothing, but they have the schemas.
async fn ran(specs: &[Arc<ToolSpec>], arguments: &[String]) -> Vec<Result<(), String>> {
    let tool = |spec: &Arc<ToolSpec>| {
        let schema = spec.parameters.clone();
        let name = Arc::clone(&spec.name);
        from_schema(name, "Does nothing.", schema, |_: Value| "ran").read_only()
    };
    let calls = specs.iter().zip(arguments).map(|(spec, text)| (&*spec.name, text.as_str()));
    let model = ScriptedModel::new([Turn::raw_calls(calls), Turn::text("done")]);
    let agent = Agent::builder(model).tools(specs.iter().map(tool)).build().unwrap();
    let run = agent.run("go").await.unwrap();
    let executions: Vec<_> =
        run.state().step_results().flat_map(|result| result.step.tool_executions()).collect();
    assert_eq!(executions.len(), specs.len(), "each call has one result");
    let outcomes = executions.into_iter().map(|execution| match &*execution.outcome {
        ToolOutcome::Ok(_) => Ok(()),
        ToolOutcome::Failed(FailureKind::InvalidArguments, why) => Err(why.clone()),
        other => panic!("{}: {other:?}", execution.call.name),
    });
    outcomes.collect()
}

#[test]
fn s6_1_a_call_of_any_tool_runs_if_and_only_if_its_arguments_fit_its_schema() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let specs = runtime.block_on(suite::specs());
    let judges: Vec<_> = specs.iter().map(|spec| Judges::of(spec)).collect();
    let each: Vec<_> = specs.iter().map(|spec| instance::text(&spec.parameters)).collect();
    let (mut fitted, mut refused) = (vec![0; specs.len()], vec![0; specs.len()]);
    let mut runner =
        TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    let seen = std::cell::RefCell::new((&mut fitted, &mut refused));
    let checked = runner.run(&each, |texts| {
        let verdicts = runtime.block_on(ran(&specs, &texts));
        for (at, (spec, verdict)) in specs.iter().zip(verdicts).enumerate() {
            let fits = judges[at].fit(&texts[at]);
            prop_assert_eq!(fits, verdict.is_ok(), "{}: {} {:?}", spec.name, texts[at], verdict);
            let mut seen = seen.borrow_mut();
            let counts = if fits { &mut *seen.0 } else { &mut *seen.1 };
            counts[at] += 1;
        }
        Ok(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
    // Of each tool there were both, or nothing was shown.
    for (at, spec) in specs.iter().enumerate() {
        assert!(fitted[at] > 0, "{}: none fitted", spec.name);
        assert!(refused[at] > 0, "{}: none was refused", spec.name);
    }
}
