//! The figures of the report, and their targets.

use crate::workload::Workload;

/// One line of the report.
#[derive(Debug)]
pub(super) struct Measure {
    /// The workload.
    pub(super) workload: Workload,
    /// The name of the figure in a sample, with its unit.
    pub(super) name: &'static str,
    /// The target of Legwork's median, if there is one.
    pub(super) limit: Option<Limit>,
}

/// A target: a multiple of the baseline's median, plus a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    /// Factor of the baseline's median; 0 for an absolute limit.
    pub(super) times: f64,
    /// The constant.
    pub(super) plus: f64,
}

impl Limit {
    /// The largest figure that meets it.
    pub(super) fn value(self, baseline: Option<f64>) -> Option<f64> {
        if self.times == 0.0 {
            return Some(self.plus);
        }
        Some(self.times * baseline? + self.plus)
    }
}

/// At most this multiple of the baseline.
const fn times(times: f64) -> Option<Limit> {
    Some(Limit { times, plus: 0.0 })
}

/// At most this figure.
const fn most(plus: f64) -> Option<Limit> {
    Some(Limit { times: 0.0, plus })
}

/// A line of the report.
const fn line(workload: Workload, name: &'static str, limit: Option<Limit>) -> Measure {
    Measure { workload, name, limit }
}

use Workload::{
    Bash, Handoff, Loop, Open, Partial, Search, Start, Tools, W1, W1h, W2, W2Bedrock, W2Gemini,
    W2Late, W2Messages, W2Responses, W3, W4, W5, W5Bedrock, W5Gemini, W5Messages, W5Responses, Wp,
    Wpg,
};

/// All lines of the report, in its order.
pub(super) const MEASURES: &[Measure] = &[
    line(W1, "instructions_per_step", times(0.85)),
    line(W1, "syscalls_per_step", None),
    line(W1, "page_faults", times(2.0)),
    line(W1, "cpu_us_per_step", times(1.2)),
    line(W1, "wall_us_per_step", times(1.2)),
    line(W1, "peak_mb", None),
    line(W1h, "instructions_per_step", times(1.15)),
    line(W1h, "syscalls_per_step", None),
    line(W1h, "page_faults", times(2.0)),
    line(W1h, "cpu_us_per_step", times(1.3)),
    line(W1h, "wall_us_per_step", times(1.3)),
    line(W1h, "peak_mb", None),
    line(W2, "instructions_per_step", times(0.24)),
    line(W2, "syscalls_per_step", None),
    line(W2, "page_faults", times(2.0)),
    line(W2, "cpu_us_step_10", None),
    line(W2, "cpu_us_step_100", None),
    line(W2, "cpu_us_step_200", times(1.1)),
    line(W2, "wall_us_step_10", None),
    line(W2, "wall_us_step_100", None),
    line(W2, "wall_us_step_200", times(1.1)),
    line(W2, "cpu_us_per_step", None),
    line(W2, "wall_ms", None),
    line(W2, "peak_mb", None),
    line(W2Responses, "instructions_per_step", times(0.25)),
    line(W2Responses, "syscalls_per_step", None),
    line(W2Responses, "page_faults", times(2.0)),
    line(W2Responses, "cpu_us_step_10", None),
    line(W2Responses, "cpu_us_step_200", times(1.1)),
    line(W2Responses, "wall_us_step_200", times(1.1)),
    line(W2Responses, "peak_mb", None),
    line(W2Messages, "instructions_per_step", times(0.25)),
    line(W2Messages, "syscalls_per_step", None),
    line(W2Messages, "page_faults", times(2.0)),
    line(W2Messages, "cpu_us_step_10", None),
    line(W2Messages, "cpu_us_step_200", times(1.1)),
    line(W2Messages, "wall_us_step_200", times(1.1)),
    line(W2Messages, "peak_mb", None),
    line(W2Gemini, "instructions_per_step", times(0.25)),
    line(W2Gemini, "syscalls_per_step", None),
    line(W2Gemini, "page_faults", times(2.0)),
    line(W2Gemini, "cpu_us_step_10", None),
    line(W2Gemini, "cpu_us_step_200", times(1.1)),
    line(W2Gemini, "wall_us_step_200", times(1.1)),
    line(W2Gemini, "peak_mb", None),
    line(W2Bedrock, "instructions_per_step", times(0.25)),
    line(W2Bedrock, "syscalls_per_step", None),
    line(W2Bedrock, "page_faults", times(2.0)),
    line(W2Bedrock, "cpu_us_step_10", None),
    line(W2Bedrock, "cpu_us_step_200", times(1.1)),
    line(W2Bedrock, "wall_us_step_200", times(1.1)),
    line(W2Bedrock, "peak_mb", None),
    line(W2Late, "instructions_per_step_10", None),
    line(W2Late, "instructions_per_step_2000", None),
    line(W2Late, "instruction_growth", most(1.2)),
    line(W2Late, "cpu_us_step_10", None),
    line(W2Late, "cpu_us_step_2000", None),
    line(W2Late, "send_us_step_10", None),
    line(W2Late, "send_us_step_2000", None),
    line(W2Late, "cpu_growth_beside_sending", most(1.2)),
    line(W2Late, "peak_mb", None),
    line(W3, "cpu_us_per_step", None),
    line(W3, "wall_ms", times(1.2)),
    line(W3, "peak_mb", most(60.0)),
    line(W4, "cpu_us", None),
    line(W4, "wall_ms", most(105.0)),
    line(W4, "peak_mb", None),
    line(W5, "instructions_per_answer", times(0.85)),
    line(W5, "syscalls_per_answer", None),
    line(W5, "page_faults", times(2.0)),
    line(W5, "cpu_ms", times(1.2)),
    line(W5, "wall_ms", times(1.2)),
    line(W5, "peak_mb", None),
    line(W5Responses, "instructions_per_answer", times(0.85)),
    line(W5Responses, "syscalls_per_answer", None),
    line(W5Responses, "page_faults", times(2.0)),
    line(W5Responses, "cpu_ms", times(1.2)),
    line(W5Responses, "wall_ms", times(1.2)),
    line(W5Responses, "peak_mb", None),
    line(W5Messages, "instructions_per_answer", times(0.85)),
    line(W5Messages, "syscalls_per_answer", None),
    line(W5Messages, "page_faults", times(2.0)),
    line(W5Messages, "cpu_ms", times(1.2)),
    line(W5Messages, "wall_ms", times(1.2)),
    line(W5Messages, "peak_mb", None),
    line(W5Gemini, "instructions_per_answer", times(0.85)),
    line(W5Gemini, "syscalls_per_answer", None),
    line(W5Gemini, "page_faults", times(2.0)),
    line(W5Gemini, "cpu_ms", times(1.2)),
    line(W5Gemini, "wall_ms", times(1.2)),
    line(W5Gemini, "peak_mb", None),
    line(W5Bedrock, "instructions_per_answer", times(0.85)),
    line(W5Bedrock, "syscalls_per_answer", None),
    line(W5Bedrock, "page_faults", times(2.0)),
    line(W5Bedrock, "cpu_ms", times(1.2)),
    line(W5Bedrock, "wall_ms", times(1.2)),
    line(W5Bedrock, "peak_mb", None),
    line(Handoff, "instructions_per_handoff", times(1.1)),
    line(Loop, "wall_us_step_50", None),
    line(Loop, "wall_us_step_5000", None),
    line(Loop, "wall_growth", most(1.3)),
    line(Loop, "cpu_us_step_50", None),
    line(Loop, "cpu_us_step_5000", None),
    line(Loop, "cpu_growth", most(1.3)),
    line(Loop, "wall_us_per_step", None),
    line(Loop, "wall_us_without_hooks", None),
    line(Loop, "hooks_us_per_step", most(10.0)),
    line(Loop, "hooks_by_step", None),
    line(Loop, "clone_ns", most(1_000.0)),
    line(Loop, "peak_mb", most(60.0)),
    line(Tools, "wall_ms_64_calls", most(15.0)),
    line(Tools, "wall_us_per_step", None),
    line(Tools, "added_us_1000_shown", most(1_000.0)),
    line(Tools, "added_us_1000_searchable", most(1_000.0)),
    line(Partial, "cpu_ms_100_kb", None),
    line(Partial, "cpu_ms_1_mb", None),
    line(Partial, "cpu_growth", most(12.0)),
    line(Open, "open_ms", most(20.0)),
    line(Open, "values_ms", None),
    line(Open, "open_by_values", None),
    line(Open, "journal_mb", None),
    line(Start, "first_request_ms", most(10.0)),
    line(Start, "version_ms", most(10.0)),
    line(Search, "regex_ms", times(1.3)),
    line(Search, "ignore_case_ms", times(1.3)),
    line(Bash, "command_ms", times(5.0)),
    line(Wp, "durable_writes_per_step", most(2.0)),
    line(Wp, "durable_writes_around", None),
    line(Wp, "storage_ms_per_step", None),
    line(Wp, "beside_ms_per_step", most(0.3)),
    line(Wp, "wall_ms_per_step", None),
    line(Wp, "cpu_us_per_step", None),
    line(Wp, "wall_us_step_10", None),
    line(Wp, "wall_us_step_100", None),
    line(Wp, "wall_us_step_200", None),
    line(Wp, "payload_bytes_per_step", Some(Limit { times: 3.0, plus: 600.0 })),
    line(Wp, "payload_bytes_step_10", None),
    line(Wp, "payload_bytes_step_100", None),
    line(Wp, "payload_bytes_step_200", None),
    line(Wp, "payload_growth", most(1.05)),
    line(Wp, "file_bytes_per_step", None),
    line(Wp, "written_bytes_per_step", None),
    line(Wp, "peak_mb", None),
    line(Wpg, "durable_writes_per_step", most(2.0)),
    line(Wpg, "storage_ms_per_step", None),
    line(Wpg, "beside_ms_per_step", None),
    line(Wpg, "wall_ms_per_step", None),
    line(Wpg, "cpu_us_per_step", None),
];
