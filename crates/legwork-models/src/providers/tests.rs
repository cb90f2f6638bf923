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

#[cfg(all(feature = "bedrock", feature = "gemini"))]
#[test]
fn the_address_of_an_account_follows_from_variables() {
    use super::Provider;
    use crate::credentials::Credential;

    let url = |provider: &Provider, set: &[(&str, &str)]| {
        let set = |name: &str| set.iter().find(|(known, _)| *known == name).map(|set| set.1.into());
        provider.base_url_from(set).map_err(|unset| unset.to_string())
    };
    let some = |url: &str| Ok(Some(url.to_owned()));
    let bedrock = find("bedrock").unwrap();
    let regions = [("AWS_DEFAULT_REGION", "us-east-1"), ("AWS_REGION", "cn-north-1")];
    let china = "https://bedrock-runtime.cn-north-1.amazonaws.com.cn";
    assert_eq!(url(bedrock, &regions), some(china));
    let own = [("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "https://vpce.test"), regions[0]];
    assert_eq!(url(bedrock, &own), some("https://vpce.test"));
    assert_eq!(url(bedrock, &[]), Err("AWS_REGION or AWS_DEFAULT_REGION".to_owned()));
    let vertex = find("vertex").unwrap();
    let place = [("GOOGLE_CLOUD_PROJECT", "a/b"), ("GOOGLE_CLOUD_LOCATION", "europe-west4")];
    let europe = "https://europe-west4-aiplatform.googleapis.com/v1/projects/a%2Fb/locations/\
                  europe-west4/publishers/google";
    assert_eq!(url(vertex, &place), some(europe));
    assert_eq!(url(find("openai").unwrap(), &[]), Ok(None));
    assert_eq!(vertex.credential("t"), Credential::Bearer("t".to_owned()));
    assert_eq!(bedrock.credential("k"), Credential::Key("k".to_owned()));
}
