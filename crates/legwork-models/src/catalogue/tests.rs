#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

use legwork_core::budget::{MicroUsd, Price};
use legwork_port::{Ability, Support};

use super::name::undated;
use super::{Catalogue, Error, Origin, Row, SHIPPED, form};

#[test]
fn every_shipped_row_has_a_source_a_day_and_sane_numbers() {
    let rows: Vec<Row> = form::rows(SHIPPED).unwrap().into_iter().map(Result::unwrap).collect();
    assert!(rows.len() > 80);
    let names: BTreeSet<_> = rows.iter().map(|row| &row.model).collect();
    assert_eq!(names.len(), rows.len(), "a model is there twice");
    for row in &rows {
        let model = &row.model;
        assert!(!row.is_empty(), "{model}");
        for Origin { source, date } in row.origins() {
            assert!(source.starts_with("https://"), "{model}: {source}");
            let date = date.as_deref().unwrap();
            assert!(("2026-07-01"..="2100").contains(&date), "{model}: {date}");
        }
        let tokens = row.context_window.iter().chain(&row.max_output);
        assert!(
            tokens.into_iter().all(|fact| (1_000..=10_000_000).contains(&fact.value)),
            "{model}"
        );
        if let Some(window) = &row.context_window {
            assert!(
                row.max_output.as_ref().is_none_or(|most| most.value <= window.value),
                "{model}"
            );
        }
        let Some(prices) = row.prices.as_ref().map(|fact| &fact.value) else { continue };
        assert!(!model.ends_with('*'), "{model}: a model that is not out yet may cost anything");
        let embeds = row.profile().supports(Ability::Embeddings) == Support::Yes;
        for price in prices.tiers.iter().map(|tier| &tier.price).chain([&prices.usual]) {
            assert!(price.input.0 > 0 && (embeds || price.output > price.input), "{model}");
            assert!(price.cache_read <= price.input && price.cache_write >= price.input, "{model}");
            assert!(price.output < MicroUsd::from_usd(1_000.0), "{model}: dollars, not micros");
        }
        for tier in &prices.tiers {
            assert!(tier.above >= 10_000 && tier.price.input > prices.usual.input, "{model}");
        }
        let hour = prices.usual.cache_write_hour;
        assert!(hour.is_none_or(|hour| hour >= prices.usual.cache_write), "{model}");
    }
}

fn row(model: &str, input: &str) -> String {
    format!(
        r#"{{"model": "{model}", "price": {{"input": "{input}", "output": "2"}}, "source": "here",
            "date": "2026-11-22"}}"#
    )
}

fn of(rows: &[String]) -> Result<Catalogue, Error> {
    Catalogue::from_json(&format!("[{}]", rows.join(",")))
}

fn input(rows: &Catalogue, model: &str) -> Option<u64> {
    Some(rows.of(model)?.prices?.value.usual.input.0)
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
    let text = r#"[{"model": "a:b", "price": {"input": "4", "cache_write": "5", "output": "9"},
                    "source": "here", "date": "2026-11-22"}]"#;
    let usd = |dollars: u64| MicroUsd(dollars * 1_000_000);
    let price = Price { cache_write: usd(5), ..Price::new(usd(4), usd(9)) };
    let row = Catalogue::from_json(text).unwrap().of("a:b").unwrap();
    assert_eq!(row.prices.unwrap().value, price.into());
}

#[test]
fn s11_9_what_is_said_later_counts_and_the_rest_stays() {
    let rows = of(&[row("a:b", "1"), row("a:b", "2"), row("a:c", "3")]).unwrap();
    assert_eq!((input(&rows, "a:b"), rows.iter().count()), (Some(2_000_000), 2));
    let own = of(&[row("openai:gpt-5-mini", "7")]).unwrap();
    let all = Catalogue::shipped().and(own);
    assert_eq!(input(&all, "openai:gpt-5-mini"), Some(7_000_000));
    assert_eq!(input(&all, "openai:gpt-5-nano"), Some(50_000));
    let mini = all.of("openai:gpt-5-mini").unwrap();
    assert_eq!(mini.context_window.as_ref().unwrap().value, 400_000);
    assert_eq!(mini.profile().supports(Ability::Tools), Support::Yes);
    let blind = Row::new("openai:gpt-5-mini", Origin::new("by hand")).unwrap();
    let all = all.with(blind.without(Ability::Images));
    let mini = all.of("openai:gpt-5-mini").unwrap();
    assert_eq!(mini.profile().supports(Ability::Images), Support::No);
    assert_eq!(mini.abilities[&Ability::Images].origin.source, "by hand");
    assert_eq!(Catalogue::none().of("openai:gpt-5-nano"), None);
}

#[test]
fn s11_9_the_longest_beginning_counts_and_the_very_name_before_it() {
    let say =
        |model: &str, most| Row::new(model, Origin::new("here")).unwrap().with_max_output(most);
    let rows = [say("a:*", 1), say("a:big*", 2), say("a:big-2", 3)];
    let rows = rows.into_iter().fold(Catalogue::none(), Catalogue::with);
    let most = |name: &str| rows.of(name).map(|row| row.max_output.unwrap().value);
    assert_eq!(
        ["a:small", "a:big-1", "a:big-2", "a:big-2-20260101"].map(most),
        [1, 2, 3, 3].map(Some)
    );
    assert_eq!((most("b:big"), most("a")), (None, None));
    let wide = rows.with(Row::new("a:big*", Origin::new("x")).unwrap().with_context_window(9));
    let two = wide.of("a:big-2").unwrap();
    assert_eq!(two.model, "a:big-2");
    assert_eq!((two.context_window.unwrap().value, two.max_output.unwrap().value), (9, 3));
}

#[test]
fn long_inputs_and_caches_have_prices_of_their_own() {
    let gemini = Catalogue::shipped().of("google:gemini-2.5-pro").unwrap().profile();
    let input = |tokens| gemini.price_at(tokens).unwrap().input;
    assert_eq!([200_000, 200_001].map(input), [1_250_000, 2_500_000].map(MicroUsd));
    let claude = Catalogue::shipped().of("anthropic:claude-haiku-4-5-20251001").unwrap();
    let prices = claude.prices.unwrap();
    assert_eq!(prices.value.usual.cache_write, MicroUsd(1_250_000));
    assert_eq!(prices.value.usual.cache_write_hour, Some(MicroUsd(2_000_000)));
    assert_ne!(prices.origin, claude.context_window.unwrap().origin, "read elsewhere");
}

#[test]
fn s11_9_the_very_name_counts_before_the_one_without_its_date() {
    let rows = of(&[row("a:b", "1"), row("a:b-2024-05-13", "5")]).unwrap();
    assert_eq!(input(&rows, "a:b-2024-05-13"), Some(5_000_000));
    assert_eq!(input(&rows, "a:b-2024-08-06"), Some(1_000_000));
    assert_eq!(input(&rows, "a:b-20240806"), Some(1_000_000));
    for other in
        ["b", "a:B", "a:b-mini", "a:b-2024", "x:b", "", "a:b-2024-08-061", "a:b-1999-01-01"]
    {
        assert_eq!(input(&rows, other), None, "{other}");
    }
    assert_eq!(input(&Catalogue::shipped(), "openai:gpt-4o-2024-05-13"), Some(5_000_000));
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
        let error = Catalogue::from_json(text).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    wrong("", "line 1");
    wrong("{}", "cannot be read");
    wrong("[\n{\"model\": \"a:b\",\n \"prize\": 3}]", "line 3: unknown field `prize`");
    wrong(r#"[{"model": "a:b", "price": {"input": 0.25}}]"#, "expected a string");
    wrong(r#"[{"model": "a:b", "source": "s"}]"#, "`date`");
    let can = |words: &str| {
        format!(r#"[{{"model": "a:b", {words}, "source": "s", "date": "2026-11-22"}}]"#)
    };
    wrong(&can(r#""can": ["tool"]"#), "no ability `tool`; known are tools, ");
    wrong(&can(r#""can": ["tools"], "cannot": ["tools"]"#), "`tools` twice");
    wrong(&can(r#""price": {"input": "1", "output": "1", "date": "today"}"#), "YYYY-MM-DD");
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
