use rmcp::model::{ImageContent, Role as Speaker, SamplingContent};
use serde_json::json;

use super::*;

#[test]
fn s18_18_a_prompt_keeps_who_says_what_and_its_images() {
    let image = SamplingMessageContentBlock::Image(ImageContent::new("aGk=", "image/png"));
    let several = vec![SamplingMessageContentBlock::text("What is this?"), image];
    let messages = vec![
        SamplingMessage::assistant_text("Show me."),
        SamplingMessage::new_multiple(Speaker::User, several),
    ];
    let params = CreateMessageRequestParams::new(messages, 50);
    let prompt = prompt(params).unwrap();
    let [first, second] = prompt.messages() else { panic!("{prompt:?}") };
    assert_eq!((first.role.clone(), first.text()), (Role::Assistant, "Show me.".to_owned()));
    let source = MediaSource::Base64("aGk=".to_owned());
    let image = Part::Image(Image { media_type: "image/png".to_owned(), source });
    assert_eq!(second.parts, [Part::text("What is this?"), image]);
    assert_eq!((second.role.clone(), prompt.max_output), (Role::User, Some(50)));
    assert_eq!(prompt.instructions, None);
}

#[test]
fn s18_18_what_is_no_answer_of_a_model_is_no_result() {
    for supplied in [json!(null), json!("red"), json!({"painted": 1})] {
        assert_eq!(result(&supplied), Err("what was supplied is no answer of a model".to_owned()));
    }
    let failed = json!(Prompted::Failed("no paint".to_owned()));
    assert_eq!(result(&failed), Err("no paint".to_owned()));
    let (text, model) = ("red".to_owned(), "m".into());
    let answered = json!(Prompted::Answered { text, model, is_cut: false });
    let result = result(&answered).unwrap();
    assert_eq!((&*result.model, result.stop_reason.as_deref()), ("m", Some("endTurn")));
    let SamplingContent::Single(content) = result.message.content else { panic!() };
    assert_eq!(content, SamplingMessageContentBlock::text("red"));
}
