use std::collections::BTreeSet;

use super::{ALL, find};

#[test]
fn each_provider_has_a_name_of_its_own_and_a_model_can_be_made_of_it() {
    let names: BTreeSet<_> = ALL.iter().map(|provider| provider.name).collect();
    assert_eq!(names.len(), ALL.len());
    for provider in ALL {
        let url = provider.base_url.is_none().then_some("https://example.test/v1");
        let model = provider.model("m", url).unwrap().api_key("key").build().unwrap();
        assert_eq!(legwork_port::Model::name(&model), format!("{}:m", provider.name));
        assert!(model.exposes_key().is_none(), "{}", provider.name);
        let is_here = provider.base_url.is_some_and(|url| url.contains("127.0.0.1"));
        assert_eq!(provider.is_local(), is_here, "{}", provider.name);
    }
}

#[test]
fn a_provider_without_an_address_of_its_own_wants_one() {
    let Some(azure) = find("azure") else { return };
    assert!(azure.model("m", None).is_none());
    assert!(azure.model("m", Some("https://mine.openai.azure.com/openai/v1")).is_some());
    assert!(find("nobody").is_none());
}
