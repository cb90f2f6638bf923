//! Answers whose vectors are not those of the texts.

use legwork_models::answer::Ended;
use legwork_models::embeddings::{Api, Fault, Reply, Unreadable};
use legwork_port::model::Kind;
use serde_json::{Value, json};

use super::sample::{samples, whole};

/// What comes of an answer of OpenAI's to two texts.
fn read(body: &str) -> Result<Vec<Vec<f32>>, Unreadable> {
    let mut reply = Reply::new("openai-embeddings".parse::<Api>().unwrap(), 200).for_texts(2);
    reply.push(body.as_bytes());
    reply.finish(Ended::Whole).map(|answer| answer.vectors)
}

fn data(items: &Value) -> String {
    json!({"data": items}).to_string()
}

fn fault(body: &str) -> Fault {
    match read(body) {
        Err(Unreadable::Vectors(fault)) => fault,
        other => panic!("{body}: {other:?}"),
    }
}

#[cfg(any(feature = "openai", feature = "responses"))]
#[test]
fn s11_6_vectors_come_in_the_order_of_their_texts() {
    let ordered = Ok(vec![vec![1.0, 2.0], vec![3.0, 4.0]]);
    let bodies = [
        data(&json!([{"embedding": [1, 2], "index": 0}, {"embedding": [3.0, 4e0], "index": 1}])),
        data(&json!([{"index": 1, "embedding": [3, 4]}, {"index": 0, "embedding": [1, 2]}])),
        // No index at all: as they came.
        data(&json!([{"embedding": [1, 2]}, {"embedding": [3, 4]}])),
        data(
            &json!([{"embedding": "AACAPwAAAEA=", "index": 0}, {"embedding": "AABAQAAAgEA=", "index": 1}]),
        ),
    ];
    for body in bodies {
        assert_eq!(read(&body), ordered, "{body}");
    }
}

#[cfg(any(feature = "openai", feature = "responses"))]
#[test]
fn s11_6_vectors_that_are_not_those_of_the_texts_are_named() {
    let two = |one: Value, two: Value| data(&json!([one, two]));
    let at = |index: Value| json!({"embedding": [1, 2], "index": index});
    let of = |numbers: Value| json!({"embedding": numbers});
    let good = of(json!([1, 2]));
    let table = [
        (data(&json!([good])), Fault::Count { texts: 2, vectors: 1 }),
        (data(&json!([])), Fault::Count { texts: 2, vectors: 0 }),
        (data(&json!([good, good, good])), Fault::Count { texts: 2, vectors: 3 }),
        (two(at(json!(0)), at(json!(0))), Fault::Index { text: 0 }),
        (two(at(json!(0)), at(json!(2))), Fault::Index { text: 2 }),
        (two(at(json!(1)), at(json!(null))), Fault::Unnumbered),
        (two(at(json!(0)), at(json!(-1))), Fault::Unnumbered),
        (two(good.clone(), of(json!([1, 2, 3]))), Fault::Length { text: 1, numbers: 3, others: 2 }),
        (two(good.clone(), of(json!([]))), Fault::Empty { text: 1 }),
        (two(of(json!("")), good.clone()), Fault::Empty { text: 0 }),
        (two(good.clone(), of(json!([1, null]))), Fault::NotFinite { text: 1 }),
        (two(good.clone(), of(json!([1, "2"]))), Fault::NotFinite { text: 1 }),
        (two(good.clone(), of(json!([[1, 2]]))), Fault::NotFinite { text: 1 }),
        // No `f32`.
        (two(good.clone(), of(json!([1, 1e300]))), Fault::NotFinite { text: 1 }),
        // The base64 of a NaN.
        (two(of(json!("AADAfwAAwH8=")), good.clone()), Fault::NotFinite { text: 0 }),
        (two(good.clone(), of(json!("AACAPwAA"))), Fault::Base64 { text: 1 }),
        (two(good.clone(), of(json!("not base64"))), Fault::Base64 { text: 1 }),
    ];
    for (body, wrong) in table {
        assert_eq!(fault(&body), wrong, "{body}");
    }
}

#[cfg(any(feature = "openai", feature = "responses"))]
#[test]
fn a_number_that_is_not_json_is_not_read() {
    for number in ["NaN", "Infinity", "-Infinity", "1.", "+1", "0x1", "1e"] {
        let body =
            format!(r#"{{"data": [{{"embedding": [1, {number}]}}, {{"embedding": [1, 2]}}]}}"#);
        assert!(matches!(read(&body), Err(Unreadable::NoJson { .. })), "{number}");
    }
}

#[cfg(any(feature = "openai", feature = "responses"))]
#[test]
fn s11_6_vectors_have_as_many_numbers_as_were_asked_for() {
    let body = data(&json!([{"embedding": [1, 2]}, {"embedding": [3, 4]}]));
    let asked = |dimensions| {
        let reply = Reply::new("openai-embeddings".parse().unwrap(), 200);
        let mut reply = reply.for_texts(2).with_dimensions(dimensions);
        reply.push(body.as_bytes());
        reply.finish(Ended::Whole).map(|answer| answer.vectors.len())
    };
    assert_eq!((asked(None), asked(Some(2))), (Ok(2), Ok(2)));
    let wrong = Fault::Dimensions { asked: 3, numbers: 2 };
    assert_eq!(asked(Some(3)), Err(Unreadable::Vectors(wrong)));
}

#[tokio::test]
async fn s11_6_an_answer_with_too_few_vectors_is_an_error_that_is_not_repeated() {
    for sample in samples() {
        let mut body = sample.body.clone();
        let lists = ["/data", "/embeddings/float", "/embeddings"];
        let list = lists.iter().find(|list| body.pointer(list).is_some_and(Value::is_array));
        body.pointer_mut(list.unwrap()).unwrap().as_array_mut().unwrap().pop();
        // A second request would find no server.
        let (came, ..) = sample.patiently([whole(&body)]).await;
        let error = came.unwrap_err();
        assert_eq!(error.cause.kind, Kind::Malformed, "{}: {error}", sample.api);
        assert_eq!(error.cause.charged_attempts, 1, "{}", sample.api);
        assert!(
            error.to_string().contains("1 vectors came for 2 texts"),
            "{}: {error}",
            sample.api
        );
    }
}

#[cfg(any(feature = "openai", feature = "responses"))]
#[test]
fn all_tokens_count_as_input_where_no_other_number_is_said() {
    let vectors = json!([{"embedding": [1]}, {"embedding": [2]}]);
    let table = [
        (json!({"total_tokens": 9}), Some(9)),
        (json!({"prompt_tokens": 8, "total_tokens": 9}), Some(8)),
        (json!({"prompt_tokens": 8, "completion_tokens": 0}), Some(8)),
        (json!({"prompt_tokens": "many"}), None),
        (json!(null), None),
        (json!([1]), None),
    ];
    for (usage, input) in table {
        let mut reply = Reply::new("openai-embeddings".parse().unwrap(), 200);
        reply.push(json!({"usage": usage, "data": vectors}).to_string().as_bytes());
        let came = reply.finish(Ended::Whole).unwrap();
        assert_eq!(came.usage.map(|usage| usage.input), input, "{usage}");
    }
}
