use legwork_core::{Timestamp, ToolSpec};
use legwork_port::BoxFuture;
use rmcp::model::ListPromptsRequestMethod;
use serde_json::json;
use tokio::sync::broadcast::Sender;

use super::changes::next;
use super::*;
use crate::question::Ability;

/// A service that has what it is made with.
struct Fixture(About, Option<Sender<Change>>);

impl Service for Fixture {
    fn about(&self) -> About {
        self.0.clone()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolSpec>, Error>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn call<'a>(
        &'a self,
        call: Call,
        _client: &'a Client,
    ) -> BoxFuture<'a, Result<Answered, Error>> {
        Box::pin(async move { Err(Error::invalid(call.name)) })
    }

    fn changes(&self) -> Option<Receiver<Change>> {
        self.1.as_ref().map(Sender::subscribe)
    }
}

fn capabilities(about: About, changes: Option<Sender<Change>>) -> serde_json::Value {
    let service = Fixture(about, changes);
    serde_json::to_value(wire::capabilities(&service, &service.about())).unwrap()
}

#[test]
fn a_server_announces_what_its_service_has_and_nothing_else() {
    let about = About::new("a", "1");
    assert_eq!(capabilities(about.clone(), None), json!({"tools": {}}));
    let all = About {
        resources: true,
        prompts: true,
        completes: true,
        logs: true,
        tasks: true,
        ..about.clone()
    };
    let extensions = json!({"io.modelcontextprotocol/tasks": {}});
    assert_eq!(
        capabilities(all, Some(Sender::new(1))),
        json!({
            "tools": {"listChanged": true},
            "resources": {"listChanged": true, "subscribe": true},
            "prompts": {"listChanged": true},
            "completions": {},
            "logging": {},
            "extensions": extensions,
        })
    );
    assert_eq!(capabilities(about, Some(Sender::new(1))), json!({"tools": {"listChanged": true}}));
}

#[test]
fn a_method_of_something_that_a_service_lacks_is_unknown() {
    let handler = |prompts| {
        let about = About { prompts, ..About::new("a", "1") };
        let service = Arc::new(Fixture(about, None));
        Handler::new(service, Seal::new([7; 32]), Cancellation::new())
    };
    let requires = |handler: Handler| {
        handler.requires::<ListPromptsRequestMethod>(|about| about.prompts).map_err(|e| e.code.0)
    };
    assert_eq!(requires(handler(true)), Ok(()));
    assert_eq!(requires(handler(false)), Err(-32601));
}

#[test]
fn what_a_client_lacks_is_named_as_its_capability() {
    for (ability, required) in [
        (Ability::Forms, json!({"elicitation": {}})),
        (Ability::Sampling, json!({"sampling": {}})),
        (Ability::Tasks, json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})),
    ] {
        let data = to_data(Error::Lacks(ability));
        assert_eq!(data.code.0, -32021);
        assert_eq!(data.data, Some(json!({"requiredCapabilities": required})));
    }
}

#[test]
fn a_completion_says_how_many_values_it_leaves_out() {
    let values = |count: usize| wire::completion(vec!["a".to_owned(); count]).unwrap();
    let (all, some) = (values(100), values(101));
    assert_eq!((all.values.len(), all.total, all.has_more), (100, Some(100), Some(false)));
    assert_eq!((some.values.len(), some.total, some.has_more), (100, Some(101), Some(true)));
}

#[tokio::test]
async fn a_client_that_missed_changes_is_told_that_all_may_have_changed() {
    let sender = Sender::new(1);
    let mut changes = sender.subscribe();
    let watched = || vec!["a:b".to_owned()];
    sender.send(Change::Tools).unwrap();
    assert_eq!(next(&mut changes, watched).await, Some(vec![Change::Tools]));
    sender.send(Change::Tools).unwrap();
    sender.send(Change::Resource("a:c".to_owned())).unwrap();
    let all = [Change::Tools, Change::Prompts, Change::Resources, Change::Resource("a:b".into())];
    assert_eq!(next(&mut changes, watched).await.unwrap(), all);
    drop(sender);
    next(&mut changes, watched).await;
    assert_eq!(next(&mut changes, watched).await, None);
}

#[test]
fn the_last_handler_of_a_connection_ends_what_it_started() {
    let service = Arc::new(Fixture(About::new("a", "1"), None));
    let gone = Cancellation::new();
    let handler = Handler::new(service, Seal::new([7; 32]), gone.clone());
    let (other, over) = (handler.clone(), handler.over.0.clone());
    drop(handler);
    assert!(!over.is_cancelled());
    drop(other);
    assert!(over.is_cancelled() && !gone.is_cancelled());
}

#[test]
fn a_date_is_one_of_iso_8601() {
    assert_eq!(date(Timestamp(1_795_749_507_000)), "2026-11-27T03:18:27Z");
}
