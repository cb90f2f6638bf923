//! The metrics of inferences, as the conventions name them.

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Histogram, Meter};

use crate::attributes::{ERROR, MODEL, OPERATION, PROVIDER, RESPONSE_MODEL, TOKEN_TYPE};
use crate::spans::{Inferred, Span};

/// The bounds that the conventions give for durations, in seconds.
const SECONDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// Those for the times between pieces of an answer, in seconds.
const PIECES: [f64; 13] =
    [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];

/// Those for numbers of tokens.
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// The instruments.
pub(crate) struct Metrics {
    tokens: Histogram<u64>,
    duration: Histogram<f64>,
    first_piece: Histogram<f64>,
    next_pieces: Histogram<f64>,
}

impl Metrics {
    pub(crate) fn new(meter: &Meter) -> Self {
        let seconds = |name: &'static str, bounds: &[f64], words: &'static str| {
            let histogram = meter.f64_histogram(name).with_unit("s").with_description(words);
            histogram.with_boundaries(bounds.to_vec()).build()
        };
        Self {
            tokens: meter
                .u64_histogram("gen_ai.client.token.usage")
                .with_unit("{token}")
                .with_description("Number of input and output tokens used.")
                .with_boundaries(TOKENS.to_vec())
                .build(),
            duration: seconds(
                "gen_ai.client.operation.duration",
                &SECONDS,
                "Time from a request to the end of its answer.",
            ),
            first_piece: seconds(
                "gen_ai.client.operation.time_to_first_chunk",
                &PIECES,
                "Time from a request to the first piece of its answer.",
            ),
            next_pieces: seconds(
                "gen_ai.client.operation.time_per_output_chunk",
                &PIECES,
                "Time from a piece of an answer to the next one.",
            ),
        }
    }

    /// Records a span that ended.
    pub(crate) fn record(&self, span: &Span) {
        let Some(inferred) = &span.inferred else { return };
        let about = about(inferred);
        let with = |name: &'static str, value: String| {
            let mut all = about.clone();
            all.push(KeyValue::new(name, value));
            all
        };
        let failed = span.error.as_ref().map(|error| with(ERROR, error.to_string()));
        let attributes = failed.as_deref().unwrap_or(&about);
        self.duration.record(span.duration().as_secs_f64(), attributes);
        if inferred.input > 0 {
            self.tokens.record(inferred.input, &with(TOKEN_TYPE, "input".to_owned()));
        }
        if inferred.output > 0 {
            self.tokens.record(inferred.output, &with(TOKEN_TYPE, "output".to_owned()));
        }
        let mut pieces = inferred.pieces.iter().map(Duration::as_secs_f64);
        if let Some(first) = pieces.next() {
            self.first_piece.record(first, &about);
        }
        pieces.for_each(|piece| self.next_pieces.record(piece, &about));
    }
}

/// The attributes that all metrics of an inference have.
fn about(inferred: &Inferred) -> Vec<KeyValue> {
    let mut about = vec![
        KeyValue::new(OPERATION, inferred.operation),
        KeyValue::new(PROVIDER, inferred.provider.clone()),
        KeyValue::new(MODEL, inferred.model.clone()),
    ];
    if let Some(model) = &inferred.response_model {
        about.push(KeyValue::new(RESPONSE_MODEL, model.clone()));
    }
    about
}
