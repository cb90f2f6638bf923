//! The prompts, and the completion of their arguments.

use legwork_mcp_server::Error;
use legwork_mcp_server::client::Client;
use legwork_mcp_server::content::{Content, Contents, Said};
use legwork_mcp_server::question::{Questions, accepted};
use legwork_mcp_server::service::{Argument, Call, Prompt};
use serde_json::Value;

use crate::IMAGE;
use crate::asking::text_form;

const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";

pub(crate) fn listed() -> Vec<Prompt> {
    vec![
        Prompt::new("test_simple_prompt", "A prompt without arguments"),
        Prompt::new(WITH_ARGUMENTS, "A prompt with two arguments")
            .argument("arg1", "The first argument")
            .argument("arg2", "The second argument"),
        Prompt::new("test_prompt_with_embedded_resource", "A prompt that holds a resource")
            .argument("resourceUri", "The URI of the resource"),
        Prompt::new("test_prompt_with_image", "A prompt that holds an image"),
        Prompt::new("test_input_required_result_prompt", "A prompt that asks for its context"),
    ]
}

pub(crate) async fn messages(call: &Call, client: &Client) -> Result<Vec<Said>, Error> {
    Ok(match call.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        WITH_ARGUMENTS => {
            let (arg1, arg2) = (call.required("arg1")?, call.required("arg2")?);
            vec![text(&format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = call.required("resourceUri")?;
            let contents = "Embedded resource content for testing.";
            let resource = Content::resource(Contents::text(uri, "text/plain", contents));
            vec![Said::user(resource), text("Please process the embedded resource above.")]
        }
        "test_prompt_with_image" => {
            let image = Content::image("image/png", IMAGE);
            vec![Said::user(image), text("Please analyze the image above.")]
        }
        "test_input_required_result_prompt" => vec![text(&in_context(client).await?)],
        name => return Err(Error::invalid(format!("there is no prompt {name:?}"))),
    })
}

async fn in_context(client: &Client) -> Result<String, Error> {
    let question = text_form("What context should the prompt use?", "context");
    let questions = Questions::from([("user_context".to_owned(), question)]);
    let answers = client.ask(questions, None).await?;
    let fields = answers.get("user_context").and_then(accepted);
    let context = fields.and_then(|fields| fields.get("context")).and_then(Value::as_str);
    Ok(format!("Use this context: {}", context.unwrap_or("none")))
}

fn text(text: &str) -> Said {
    Said::user(Content::text(text))
}

/// The values of an argument that begin with what was typed.
pub(crate) fn completions(argument: Argument<'_>) -> Vec<String> {
    let values = match (argument.of, argument.name) {
        (WITH_ARGUMENTS, "arg1") => ["paris", "park", "party"],
        _ => return Vec::new(),
    };
    let fitting = values.into_iter().filter(|value| value.starts_with(argument.so_far));
    fitting.map(str::to_owned).collect()
}
