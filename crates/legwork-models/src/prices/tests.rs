#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use legwork_core::budget::{MicroUsd, Price, PriceEntry};

use super::row::Row;
use super::{Error, Prices, SHIPPED, undated};

#[test]
fn every_shipped_row_has_a_source_a_date_and_sane_prices() {
    let rows: Vec<Row> = serde_json::from_str(SHIPPED).unwrap();
    let count = rows.len();
    assert!(count > 10);
    for row in rows {
        let PriceEntry { model, price, source, date } = row.entry().unwrap();
        assert!(source.starts_with("https://"), "{model}: {source}");
        assert!(("2026-11-22"..="2100").contains(&date.as_str()), "{model}: {date}");
        // Vectors have no tokens.
        let is_embedding = model.contains("embed");
        assert_eq!(price.output.0 == 0, is_embedding, "{model}");
        assert!(price.input.0 > 0 && (is_embedding || price.output > price.input), "{model}");
        assert!(price.cache_read <= price.input, "{model}");
        assert!(price.cache_write >= price.input, "{model}");
        assert!(price.output < MicroUsd::from_usd(1_000.0), "{model}: dollars, not micros");
    }
    assert_eq!(Prices::shipped().iter().count(), count, "a model is there twice");
}

fn row(model: &str, input: &str) -> String {
    format!(
        r#"{{"model": "{model}", "input": "{input}", "output": "2", "source": "here",
            "date": "2026-11-22"}}"#
    )
}

fn of(rows: &[String]) -> Result<Prices, Error> {
    Prices::from_json(&format!("[{}]", rows.join(",")))
}

fn input(prices: &Prices, model: &str) -> Option<u64> {
    prices.of(model).map(|entry| entry.price.input.0)
}

#[test]
fn a_price_is_exact_to_a_millionth_of_a_dollar() {
    let table = [
        ("0", 0),
        ("0.25", 250_000),
        ("0.000001", 1),
        ("1.100000", 1_100_000),
        ("007", 7_000_000),
        ("18446744073709.551615", u64::MAX),
    ];
    for (text, micros) in table {
        assert_eq!(input(&of(&[row("a:b", text)]).unwrap(), "a:b"), Some(micros), "{text}");
    }
    let wrong =
        ["", ".", "1.", ".5", "-1", "+1", "1e3", "0,25", "$1", " 1", "1.0000001", "NaN", "٣"];
    for text in wrong.into_iter().chain(["18446744073709.551616", "99999999999999999999"]) {
        let error = of(&[row("a:b", text)]).unwrap_err();
        assert!(matches!(&error, Error::Amount { field: "input", .. }), "{text}: {error}");
        assert!(error.to_string().contains("a:b"), "{error}");
    }
}

#[test]
fn caches_cost_what_input_costs_unless_said() {
    let text = r#"[{"model": "a:b", "input": "4", "cache_write": "5", "output": "9",
                    "source": "here", "date": "2026-11-22"}]"#;
    let usd = |dollars: u64| MicroUsd(dollars * 1_000_000);
    let price = Price { input: usd(4), cache_read: usd(4), cache_write: usd(5), output: usd(9) };
    assert_eq!(Prices::from_json(text).unwrap().of("a:b").unwrap().price, price);
}

#[test]
fn the_later_price_of_a_model_counts() {
    let prices = of(&[row("a:b", "1"), row("a:b", "2"), row("a:c", "3")]).unwrap();
    assert_eq!((input(&prices, "a:b"), prices.iter().count()), (Some(2_000_000), 2));
    let own = of(&[row("openai:gpt-5-mini", "7")]).unwrap();
    let all = Prices::shipped().and(own.clone());
    assert_eq!(input(&all, "openai:gpt-5-mini"), Some(7_000_000));
    assert_eq!(input(&all, "openai:gpt-5-nano"), Some(50_000));
    let entry =
        PriceEntry { source: "by hand".into(), ..all.of("openai:gpt-5-nano").unwrap().clone() };
    assert_eq!(all.with(entry).of("openai:gpt-5-nano").unwrap().source, "by hand");
    assert_eq!(Prices::none().of("openai:gpt-5-nano"), None);
}

#[test]
fn the_very_name_counts_before_the_one_without_its_date() {
    let prices = of(&[row("a:b", "1"), row("a:b-2024-05-13", "5")]).unwrap();
    assert_eq!(input(&prices, "a:b-2024-05-13"), Some(5_000_000));
    assert_eq!(input(&prices, "a:b-2024-08-06"), Some(1_000_000));
    assert_eq!(input(&prices, "a:b-20240806"), Some(1_000_000));
    for other in
        ["b", "a:B", "a:b-mini", "a:b-2024", "x:b", "", "a:b-2024-08-061", "a:b-1999-01-01"]
    {
        assert_eq!(input(&prices, other), None, "{other}");
    }
    let dated = Prices::shipped().of("openai:gpt-4o-2024-05-13").unwrap().price.input;
    assert_eq!(dated, MicroUsd(5_000_000));
}

#[test]
fn names_are_cut_at_whole_characters() {
    for name in ["é-2024-01-0é", "-2024-01-01", "日本語日本語", "é", "-20240101"] {
        assert!(undated(name).is_none_or(str::is_empty), "{name}");
    }
    assert_eq!(undated("日本-2024-01-01"), Some("日本"));
}

#[test]
fn an_error_names_the_position() {
    let wrong = |text: &str, words: &str| {
        let error = Prices::from_json(text).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    wrong("", "line 1");
    wrong("{}", "cannot be read");
    wrong("[\n{\"model\": \"a:b\",\n \"price\": 3}]", "line 3: unknown field `price`");
    wrong(r#"[{"model": "a:b", "input": 0.25}]"#, "expected a string");
    wrong(r#"[{"model": "a:b", "input": "1", "output": "1", "source": "s"}]"#, "`date`");
    for name in ["gpt-5", ":x", "x:", ""] {
        wrong(&format!("[{}]", row(name, "1")), "provider:name");
    }
    let with = |source: &str, date: &str| {
        let text = row("a:b", "1").replace("here", source).replace("2026-11-22", date);
        format!("[{text}]")
    };
    wrong(&with(" ", "2026-11-22"), "where it was read");
    for date in ["", "yesterday", "2026-13-01", "2026-1-1", "2026-11-32", "26-11-22", "2026-11-22-"]
    {
        wrong(&with("here", date), "YYYY-MM-DD");
    }
}
