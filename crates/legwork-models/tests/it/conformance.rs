//! The suite that every model passes.

use legwork_models::openai;
use legwork_testkit::Server;
use legwork_testkit::conformance::model::{self, Behaviour};

#[tokio::test]
async fn chat_completions_keep_the_promises_of_the_port() {
    let [text, calls, fails] =
        Behaviour::ALL.map(|behaviour| Server::start(behaviour.script()).unwrap());
    let make = async |behaviour| {
        let server = match behaviour {
            Behaviour::Text => &text,
            Behaviour::ToolCalls => &calls,
            Behaviour::Fails => &fails,
        };
        let builder = openai::chat(server.base_url(), "scripted");
        builder.api_key("sk-conformance").build().unwrap()
    };
    model::check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
}
