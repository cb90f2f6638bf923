//! What each wire writes, and what it refuses to.

use legwork_models::embeddings::{Api, DimensionsField, Quirks};
use legwork_models::{Catalogue, EmbedderBuilder, Error, HttpEmbedder, providers};
use legwork_port::Embedder;
use legwork_port::embedder::{Purpose, Request};
use legwork_port::model::Kind;
use serde_json::{Value, json};

fn builder(api: &str, model: &str) -> Option<EmbedderBuilder> {
    let api: Api = api.parse().ok()?;
    Some(EmbedderBuilder::new(api, "https://example.test/v1", model))
}

/// The one body of a request.
fn body(embedder: &HttpEmbedder, request: &Request) -> Value {
    let bodies = embedder.bodies(request).unwrap();
    let [body] = &*bodies else { panic!("{} bodies", bodies.len()) };
    serde_json::from_slice(body).unwrap()
}

fn refusal(embedder: &HttpEmbedder, request: &Request) -> String {
    let error = embedder.bodies(request).unwrap_err();
    assert_eq!(error.kind, Kind::BadRequest, "{error}");
    error.to_string()
}

fn asked() -> Request {
    Request::query("a \"b\"\n").with_dimensions(256)
}

#[test]
fn openai_is_asked_as_its_reference_says() {
    let Some(builder) = builder("openai-embeddings", "text-embedding-3-small") else { return };
    let plain = builder.quirks(Quirks::USUAL).build().unwrap();
    let written =
        json!({"model": "text-embedding-3-small", "input": ["a \"b\"\n"], "dimensions": 256});
    assert_eq!(body(&plain, &asked()), written);
    let openai = providers::find("openai").or(providers::find("openai-responses")).unwrap();
    let openai = openai.embedder("m", None).unwrap().field("user", "me").build().unwrap();
    let request = Request::new(["a"]).with_field("user", "you");
    let written = json!({"model": "m", "input": ["a"], "encoding_format": "base64", "user": "you"});
    assert_eq!(body(&openai, &request), written);
    let request = Request::new(["a"]).with_field("encoding_format", "float");
    assert_eq!(body(&openai, &request)["encoding_format"], "float");
}

#[test]
fn mistral_has_another_field_for_dimensions_and_together_has_none() {
    let of = |name| Some(providers::find(name)?.embedder("m", None).unwrap().build().unwrap());
    let (Some(mistral), Some(together)) = (of("mistral"), of("together")) else { return };
    assert_eq!(body(&mistral, &asked())["output_dimension"], 256);
    assert_eq!(body(&mistral, &asked()).get("dimensions"), None);
    let said = refusal(&together, &asked());
    assert!(said.contains("together:m") && said.contains("leave `dimensions` out"), "{said}");
    assert_eq!(body(&together, &Request::new(["a"])), json!({"model": "m", "input": ["a"]}));
}

#[test]
fn gemini_is_asked_as_was_recorded() {
    let Some(builder) = builder("gemini-embeddings", "gemini-embedding-001") else { return };
    let request = Request::documents(["hello", "world"]).with_dimensions(768);
    let one = |text: &str| {
        json!({"model": "models/gemini-embedding-001", "content": {"parts": [{"text": text}]},
            "taskType": "RETRIEVAL_DOCUMENT", "outputDimensionality": 768})
    };
    let written = json!({"requests": [one("hello"), one("world")]});
    assert_eq!(body(&builder.build().unwrap(), &request), written);
}

#[test]
fn gemini_wants_the_purpose_of_its_second_generation_before_the_text() {
    let Some(builder) = builder("gemini-embeddings", "gemini-embedding-2") else { return };
    let embedder = builder.build().unwrap();
    let text = |request: &Request| {
        let body = body(&embedder, request);
        assert_eq!(body["requests"][0].get("taskType"), None);
        body["requests"][0]["content"]["parts"][0]["text"].as_str().unwrap().to_owned()
    };
    // As in the recordings.
    assert_eq!(
        text(&Request::query("Hello, world!")),
        "task: search result | query: Hello, world!"
    );
    assert_eq!(text(&Request::documents(["hello"])), "title: none | text: hello");
    assert_eq!(text(&Request::new(["hello"])), "hello");
    for purpose in Purpose::ALL {
        let text = text(&Request::new(["hello"]).with_purpose(purpose));
        assert!(text.ends_with(": hello"), "{text}");
    }
}

#[test]
fn cohere_is_asked_as_was_recorded_and_knows_four_purposes() {
    let Some(builder) = builder("cohere-embeddings", "embed-v4.0") else { return };
    let embedder = builder.build().unwrap();
    let written = json!({"model": "embed-v4.0", "input_type": "search_query", "texts": ["a \"b\"\n"],
        "embedding_types": ["float"], "output_dimension": 256, "truncate": "NONE"});
    assert_eq!(body(&embedder, &asked()), written);
    let cut = Request::new(["a"]).with_field("truncate", "END");
    let written = body(&embedder, &cut);
    assert_eq!(
        (&written["truncate"], &written["input_type"]),
        (&json!("END"), &json!("search_document"))
    );
    for purpose in Purpose::ALL {
        let request = Request::new(["a"]).with_purpose(purpose);
        match purpose {
            Purpose::Query | Purpose::Document | Purpose::Classification | Purpose::Clustering => {
                body(&embedder, &request);
            }
            other => {
                let said = refusal(&embedder, &request);
                assert!(said.contains(other.as_str()) && said.contains("take `query`"), "{said}");
            }
        }
    }
}

#[test]
fn ollama_is_asked_not_to_cut_texts() {
    let Some(builder) = builder("ollama-embeddings", "nomic-embed-text") else { return };
    let written = json!({"model": "nomic-embed-text", "input": ["a \"b\"\n"], "truncate": false,
        "dimensions": 256});
    assert_eq!(body(&builder.build().unwrap(), &asked()), written);
}

#[test]
fn s11_7_what_no_wire_can_do_is_refused_before_a_request() {
    for api in Api::ALL {
        let builder = EmbedderBuilder::new(*api, "https://example.test/v1", "m");
        let embedder = builder.build().unwrap();
        let said = refusal(&embedder, &Request::new(["a"]).with_dimensions(0));
        assert!(said.contains("leave `dimensions` out"), "{api}: {said}");
        let own = Request::new(["a"]).with_field("model", "another");
        assert!(refusal(&embedder, &own).contains("`model`"), "{api}");
        let builder = EmbedderBuilder::new(*api, "https://example.test/v1", "m");
        let error = builder.field("model", "another").build().unwrap_err();
        assert_eq!(error, Error::OwnField { field: "model".to_owned() }, "{api}");
        let whole = Quirks::USUAL.with_dimensions(DimensionsField::None);
        let builder = EmbedderBuilder::new(*api, "https://example.test/v1", "m").quirks(whole);
        let said = refusal(&builder.build().unwrap(), &asked());
        assert!(said.contains("leave `dimensions` out"), "{api}: {said}");
    }
}

#[test]
fn each_provider_with_embeddings_makes_an_embedder_of_its_name() {
    let mut with = 0;
    for provider in providers::ALL.iter().filter(|provider| provider.embeddings.is_some()) {
        let url = provider.base_url.is_none().then_some("https://example.test/v1");
        let embedder = provider.embedder("m", url).unwrap().api_key("key").build().unwrap();
        assert_eq!(embedder.name(), format!("{}:m", provider.name));
        assert!(embedder.exposes_key().is_none(), "{}", provider.name);
        with += 1;
    }
    assert!(with > 0);
    if let Some(anthropic) = providers::find("anthropic") {
        assert!(anthropic.embedder("m", None).is_none());
    }
}

#[test]
fn what_is_known_of_a_model_is_in_its_profile_and_prices_of_ones_own_win() {
    let Some(openai) = providers::find("openai") else { return };
    let builder = || openai.embedder("text-embedding-3-small", None).unwrap();
    let known = builder().build().unwrap();
    assert_eq!(known.profile().dimensions, Some(1_536));
    assert_eq!(known.profile().price.unwrap().input.to_string(), "$0.02");
    let own = Catalogue::from_json(
        r#"[{"model": "openai:text-embedding-3-small", "price": {"input": "0.01", "output": "0"},
            "source": "our contract", "date": "2026-11-22"}]"#,
    );
    let own = builder().catalogue(own.unwrap()).build().unwrap();
    assert_eq!(own.profile().price.unwrap().input.to_string(), "$0.01");
    let free = builder().free().build().unwrap();
    assert_eq!(free.profile().price.unwrap().input.0, 0);
    let other = openai.embedder("of-tomorrow", None).unwrap().build().unwrap();
    assert_eq!(*other.profile(), legwork_port::embedder::Profile::default());
}
