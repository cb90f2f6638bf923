//! `legwork models ping`: whether a model answers, and how fast.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork::core::transcript::Transcript;
use legwork::core::{Message, ModelRequest, ModelSettings, Response};
use legwork::model::http::Timeouts;
use legwork::model::openai::Chat;
use legwork::model::retry;
use legwork::port::{Delta, Model as _};
use serde_json::json;

use crate::args;
use crate::commands::print;
use crate::config::{Config, Secret};
use crate::display::text::{grouped, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::settings::Settings;

/// Tokens that are asked for: enough for a word, and for a model that thinks to begin.
const FEW: u64 = 16;
/// A local server may have to load the model first.
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(120),
    idle: Duration::from_secs(60),
};

/// What came of it.
struct Pong {
    response: Response,
    first: Option<Duration>,
    whole: Duration,
}

pub(super) async fn ping(args: args::ModelsPing, config: &Config) -> Result<Exit, Error> {
    let flags =
        args::Agent { model: args.model, base_url: args.base_url, ..args::Agent::default() };
    let settings = Settings::fresh(&flags, config)?;
    let url = settings.base_url.as_ref().map(|url| url.value.as_str());
    let key = match &settings.key {
        Some(key) => Some(key.fetch().await?),
        None => None,
    };
    let key = key.as_ref().map(Secret::expose);
    let builder = legwork::model::builder(&settings.model.value, url, key)?;
    let model = builder.timeouts(TIMEOUTS).retry(retry::Policy::never()).build();
    let model = model.map_err(|error| {
        Error::usage(error.to_string(), "see --base-url and OPENAI_BASE_URL, and the key")
    })?;
    let pong = asked(&model).await?;
    print(&if args.json { as_json(&model, &pong) } else { as_text(&model, &pong) })
}

async fn asked(model: &Chat) -> Result<Pong, Error> {
    let empty = Transcript::default();
    let settings = ModelSettings { max_output: Some(FEW), ..ModelSettings::default() };
    // Nothing was said, so nothing is open.
    let Some(settled) = empty.settled() else {
        return Err(Error::usage("no question could be made", "tell the project: it is a defect"));
    };
    let request = ModelRequest::new(settled, Arc::new(settings));
    let request = request.with_message(Message::user("Say: pong"));
    let (began, mut first) = (Instant::now(), None);
    let mut see = |_: Delta<'_>| {
        first.get_or_insert_with(|| began.elapsed());
        ControlFlow::Continue(())
    };
    let response = model.infer(request, Some(&mut see)).await;
    let response = response.map_err(|error| Error::Asked(Box::new(error.to_record())))?;
    Ok(Pong { response, first, whole: began.elapsed() })
}

fn cost(model: &Chat, response: &Response) -> Option<f64> {
    let price = model.profile().price.as_ref()?;
    let cost = price.cost(response.usage.as_ref()?).0;
    #[expect(clippy::cast_precision_loss, reason = "a few tokens cost little")]
    Some(cost as f64 / 1e6)
}

fn as_text(model: &Chat, pong: &Pong) -> String {
    let first = pong.first.map_or_else(String::new, |first| {
        format!("first piece after {} ms, ", grouped(millis(first)))
    });
    let mut parts = vec![format!("{first}whole after {} ms", grouped(millis(pong.whole)))];
    if let Some(usage) = pong.response.usage {
        parts.push(format!("{} tokens in, {} out", usage.input, usage.output));
    }
    parts.extend(cost(model, &pong.response).map(|usd| format!("${usd:.6}")));
    format!("{} answers: {}\n", visible(model.name()), parts.join("; "))
}

fn as_json(model: &Chat, pong: &Pong) -> String {
    let usage = pong.response.usage;
    let line = json!({
        "model": model.name(),
        "first_ms": pong.first.map(millis),
        "answer_ms": millis(pong.whole),
        "input_tokens": usage.map(|usage| usage.input),
        "output_tokens": usage.map(|usage| usage.output),
        "cost_usd": cost(model, &pong.response),
        "text": pong.response.text(),
    });
    format!("{line}\n")
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
