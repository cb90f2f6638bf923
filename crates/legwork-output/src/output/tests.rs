use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Error, Invalid, Items, Output, Stage};
use crate::Maybe;
use crate::schema::Problem;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Invoice {
    number: String,
    lines: Vec<Line>,
    total: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Line {
    what: String,
    price: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
    Point,
}

impl Invoice {
    fn check(&self) -> Result<(), Invalid> {
        let sum: u32 = self.lines.iter().map(|line| line.price).sum();
        if sum == self.total {
            return Ok(());
        }
        Err(Problem::at("/total", format!("the lines add up to {sum}")).into())
    }
}

/// The number of an invoice, which cannot be deserialized from any text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
struct Number(u32);

impl TryFrom<String> for Number {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| format!("{text:?} is not the number of an invoice"))
    }
}

impl JsonSchema for Number {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

fn invoice(total: u32) -> Value {
    json!({"number": "7", "lines": [{"what": "tea", "price": 3}, {"what": "cake", "price": 4}], "total": total})
}

#[track_caller]
fn check_stage<T: std::fmt::Debug + 'static>(
    output: &Output<T>,
    text: &str,
    stage: Stage,
    why: &str,
) {
    let error = output.read(text).unwrap_err();
    assert_eq!(error.stage(), stage, "{error}");
    assert!(error.to_string().contains(why), "{error}");
}

#[test]
fn each_stage_has_its_error() {
    let output =
        Output::<Invoice>::of().unwrap().validate(Invoice::check).transform(
            |invoice| match invoice.lines.is_empty() {
                true => Err("there is nothing to pay"),
                false => Ok(invoice.total),
            },
        );
    assert_eq!(output.read(&invoice(7).to_string()), Ok(7));
    check_stage(&output, "I cannot say", Stage::Extraction, "direct: expected value");
    check_stage(&output, "{\"number\": 7}", Stage::Schema, "at /number: 7 is not of type");
    check_stage(
        &output,
        &invoice(8).to_string(),
        Stage::Validation,
        "at /total: the lines add up to 7",
    );
    let empty = json!({"number": "7", "lines": [], "total": 0}).to_string();
    check_stage(&output, &empty, Stage::Transformation, "there is nothing to pay");
    let number = Output::<Number>::of().unwrap();
    assert_eq!(number.read(r#"{"value": "12"}"#), Ok(Number(12)));
    check_stage(&number, r#"{"value": "x"}"#, Stage::Deserialization, "\"x\" is not the number");
}

#[test]
fn stages_are_named_in_order() {
    let all = [
        Stage::Extraction,
        Stage::Schema,
        Stage::Deserialization,
        Stage::Validation,
        Stage::Transformation,
    ];
    assert!(all.is_sorted());
    let names = all.map(Stage::name);
    assert_eq!(names, ["extraction", "schema", "deserialization", "validation", "transformation"]);
}

#[test]
fn all_validators_speak_at_once() {
    let output = Output::<u32>::of()
        .unwrap()
        .validate(|value: &u32| if value.is_multiple_of(2) { Ok(()) } else { Err("it is odd") })
        .validate(
            |value: &u32| if *value < 10 { Ok(()) } else { Err(format!("{value} is too much")) },
        );
    assert_eq!(output.read("4"), Ok(4));
    let problems = vec![Problem::new("it is odd"), Problem::new("11 is too much")];
    assert_eq!(output.read("11"), Err(Error::Validation(problems)));
    let halved = output
        .transform(|value| Ok::<_, String>(value / 2))
        .validate(|value: &u32| if *value > 1 { Ok(()) } else { Err("too little") });
    assert_eq!(halved.read("8"), Ok(4));
    assert_eq!(halved.read("2").unwrap_err().to_string(), "the value is not valid: too little");
    assert_eq!(
        halved.read("11").unwrap_err().to_string(),
        "the value is not valid: it is odd; 11 is too much"
    );
}

#[test]
fn values_of_each_kind_are_read_wrapped_and_bare() {
    let shapes = Output::<Vec<Shape>>::of().unwrap();
    let wanted = vec![Shape::Circle { radius: 1.5 }, Shape::Point, Shape::Square { side: 2.0 }];
    let bare = json!(wanted);
    assert_eq!(shapes.read(&bare.to_string()).as_ref(), Ok(&wanted));
    assert_eq!(shapes.read(&json!({"items": bare}).to_string()).as_ref(), Ok(&wanted));
    let flag = Output::<bool>::of().unwrap();
    assert_eq!(flag.read("{\"value\": true}"), Ok(true));
    assert_eq!(flag.read("false"), Ok(false));
    let text = Output::<String>::of().unwrap();
    assert_eq!(text.read("```json\n\"hi\"\n```"), Ok("hi".to_owned()));
    let maybe = Output::<Maybe<Vec<u8>>>::of().unwrap();
    assert_eq!(maybe.read("{\"found\": [1]}"), Ok(Maybe::Found(vec![1])));
    assert_eq!(maybe.read("{\"found\": [256]}").unwrap_err().stage(), Stage::Schema);
    assert_eq!(maybe.read("{}").unwrap_err().stage(), Stage::Schema);
}

#[test]
fn the_value_that_fits_is_found_among_others() {
    let output = Output::<Line>::of().unwrap();
    let tea = Line { what: "tea".to_owned(), price: 3 };
    let text = "See [1] and {\"note\": 2}: {\"what\": \"tea\", \"price\": 3}";
    assert_eq!(output.read(text).as_ref(), Ok(&tea));
    let text = "```json\n{\"what\": \"tea\", \"price\": 3}\n```\nor\n```json\n{}\n```";
    assert_eq!(output.read(text).as_ref(), Ok(&tea));
    assert_eq!(output.read("[1] {}").unwrap_err().stage(), Stage::Schema);
}

#[test]
fn a_schema_that_is_known_only_now() {
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer", "multipleOf": 3}}});
    let output = Output::dynamic(schema).unwrap();
    assert_eq!(output.read("{\"n\": 9}"), Ok(json!({"n": 9})));
    assert_eq!(output.read("{\"n\": 10}").unwrap_err().stage(), Stage::Schema);
    let several = Output::dynamic(json!({"enum": ["a", "b"]})).unwrap();
    assert_eq!(several.read("{\"value\": \"b\"}"), Ok(json!("b")));
    assert!(Output::dynamic(json!({"type": 7})).is_err());
}

#[test]
fn examples_are_checked_and_shown() {
    let output = Output::<Vec<u8>>::of().unwrap().example(&[1, 2]).unwrap();
    let prompt = output.prompt().of_fence();
    assert!(prompt.contains("An example of an answer: {\"items\":[1,2]}"), "{prompt}");
    assert!(output.prompt().of_schema().starts_with("An example"));
    assert_eq!(output.example(&[300]).unwrap_err().stage(), Stage::Schema);
}

#[test]
fn what_arrives_is_shown_without_its_wrapper() {
    let mut arriving = Output::<Vec<u8>>::of().unwrap().arriving();
    arriving.push("Sure: ```json\n{\"it");
    assert_eq!(arriving.value(), None);
    arriving.push("ems\": [1, 2, ");
    assert_eq!(arriving.value().unwrap().to_json(), json!([1, 2]));
    assert!(!arriving.is_complete());
    arriving.push("3]}\n```\nDone.");
    assert_eq!(arriving.value().unwrap().to_json(), json!([1, 2, 3]));
    assert!(arriving.is_complete());
    arriving.restart();
    assert_eq!(arriving.value(), None);
    let mut invoice = Output::<Invoice>::of().unwrap().arriving();
    invoice.push("As [1] says: ");
    assert_eq!(invoice.value(), None);
    invoice.push("{\"number\": \"7\", \"lines\": [{\"what\": \"te");
    #[derive(Debug, PartialEq, Default, Deserialize)]
    #[serde(default)]
    struct Beginning {
        number: String,
        total: Option<u32>,
    }
    let beginning: Beginning = invoice.value().unwrap().deserialize().unwrap();
    assert_eq!(beginning, Beginning { number: "7".to_owned(), total: None });
}

#[test]
fn items_are_handed_out_once_and_when_complete() {
    let line = Output::<Line>::of().unwrap().validate(|line: &Line| match line.price {
        0 => Err("it is free"),
        _ => Ok(()),
    });
    let mut items = Items::of(line);
    let text = json!({"items": [
        {"what": "tea", "price": 3}, {"what": "air", "price": 0}, {"what": 1}, {"what": "cake", "price": 4},
    ]});
    let text = format!("Here you are:\n{text}\nBye [1].");
    let mut seen = Vec::new();
    for piece in text.as_bytes().chunks(3) {
        let piece = std::str::from_utf8(piece).unwrap();
        seen.extend(
            items.push(piece).map(|item| item.map(|line| line.what).map_err(|it| it.stage())),
        );
    }
    let wanted =
        [Ok("tea".to_owned()), Err(Stage::Validation), Err(Stage::Schema), Ok("cake".to_owned())];
    assert_eq!(seen, wanted);
    assert_eq!(items.handed_out(), 4);
}
