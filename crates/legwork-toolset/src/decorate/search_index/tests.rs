use std::sync::Arc;

use legwork_core::ToolSpec;
use serde_json::json;

use super::{SearchIndex, words};

fn specs() -> Vec<Arc<ToolSpec>> {
    let spec = |name: &str, description: &str, argument: &str| {
        let parameters = json!({"type": "object", "properties": {argument: {}}});
        ToolSpec::new(name, description, parameters)
    };
    let all = [
        spec("send_mail", "Sends a letter to somebody.", "to"),
        spec("list_mails", "Lists the letters of a folder.", "folder"),
        spec("createInvoice", "Makes a bill for a customer.", "customer"),
        spec("pay", "Pays an invoice.", "amount").tag("money"),
        spec("weather", "Forecast for a city.", "city"),
    ];
    all.into_iter().map(Arc::new).collect()
}

fn found(query: &str) -> Vec<String> {
    let specs = specs();
    let index = SearchIndex::of(&specs);
    index.find(query).into_iter().map(|at| specs[at].name.to_string()).collect()
}

#[test]
fn words_are_split_and_made_alike() {
    assert_eq!(
        words("readFile read_FILES, HTTPServer!"),
        ["read", "file", "read", "file", "httpserver"]
    );
    assert_eq!(words("class is as Ärzte"), ["class", "is", "as", "ärzte"]);
    assert!(words("...").is_empty());
}

#[test]
fn s6_11_tools_are_found_by_name_description_tag_and_argument() {
    assert_eq!(found("mail"), ["send_mail", "list_mails"]);
    assert_eq!(found("letter to somebody")[0], "send_mail");
    assert_eq!(found("invoices"), ["createInvoice", "pay"], "a name tells more");
    assert_eq!(found("money"), ["pay"]);
    assert_eq!(found("customer"), ["createInvoice"]);
    assert_eq!(found("amount"), ["pay"]);
    assert_eq!(found("forec"), ["weather"], "by its beginning");
    assert_eq!(found("pay"), ["pay"]);
}

#[test]
fn s6_11_the_name_of_a_tool_finds_it_first_and_other_words_find_nothing() {
    assert_eq!(found(" LIST_mails ")[0], "list_mails");
    assert!(found("helicopter").is_empty() && found("").is_empty() && found("ma").is_empty());
}
