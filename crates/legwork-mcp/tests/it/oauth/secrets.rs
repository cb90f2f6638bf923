//! What is shown of secrets: nothing.

use std::fmt::{Debug, Write as _};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::Person;
use super::world::World;
use crate::fixture::Fixture;
use crate::http::run;

/// All that is written for developers.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<String>>);

impl Visit for Written {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        writeln!(self.0.lock().unwrap(), "{field}: {value:?}").unwrap();
    }
}

impl Subscriber for Written {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn s18_12_secrets_are_in_no_words() {
    let written = Written::default();
    // All tasks of this test are on this thread.
    let _all = tracing::subscriber::set_default(written.clone());
    let world = World::new(Fixture::new()).await;
    world.now().registration = json!({"client_secret": "secret-of-client"});
    let endpoint = world.endpoint();
    let mut told = Vec::new();
    world.all.gives.store(false, Ordering::SeqCst);
    let error = endpoint.log_in(&Person::default()).await.unwrap_err();
    told.push(format!("{error:?}"));
    world.all.gives.store(true, Ordering::SeqCst);
    endpoint.log_in(&Person::default()).await.unwrap();
    world.revoke();
    told.push(format!("{:?}", run(endpoint.clone(), &["my_echo"]).await));
    world.end();
    told.push(format!("{:?}", run(endpoint.clone(), &["my_echo"]).await));
    told.push(format!("{endpoint:?} {:?}", world.login().confidential_client("a", "secret-b")));
    let written = written.0.lock().unwrap();
    assert!(written.contains("StreamableHttpClientWorker"), "it is heard");
    let now = world.now();
    // The code, the state, the verifier, the tokens and the secret of the client.
    assert!(now.secrets.len() > 8, "{:?}", now.secrets);
    for secret in now.secrets.iter().map(String::as_str).chain(["secret-b"]) {
        assert!(!written.contains(secret), "{secret} in what is written");
        assert!(told.iter().all(|told| !told.contains(secret)), "{secret} in {told:?}");
    }
}
