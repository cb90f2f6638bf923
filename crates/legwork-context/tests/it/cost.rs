//! D18: a step costs what it adds, not what came before.

use legwork_context::transforms::{
    DropTraces, Redact, RemoveRepeats, RemoveSimilar, SlidingWindow, SummariseResults, TokenBudget,
    TruncateResults, each,
};
use legwork_context::{Memory, Pipeline};

use crate::story::Story;

/// How many units and messages are looked at in so many steps, after so many.
fn visited(pipeline: &Pipeline, marks: &[(usize, usize)]) -> Vec<u64> {
    let (mut story, mut memory) = (Story::of("the task"), Memory::new());
    let end = marks.iter().map(|(_, end)| *end).max().unwrap();
    let mut sums = vec![0; marks.len()];
    for step in 0..end {
        let result = format!("result {step} ").repeat(5);
        // What is said with the calls stays when these are dropped.
        story = story.step("I look.", &[("read", "{}", &result), ("list", "{}", "short")], None);
        // As after a commit: what is not appended yet is no part of what is measured.
        story.state = story.state.committed();
        let visited = story.shown(pipeline, &mut memory).report.visited;
        for (sum, (from, end)) in sums.iter_mut().zip(marks) {
            *sum += if (*from..*end).contains(&step) { visited } else { 0 };
        }
    }
    sums
}

#[track_caller]
fn check(pipeline: Pipeline, steps: usize) {
    // Whole periods of what drops in blocks: 100 steps early, and the last 100.
    let visited = visited(&pipeline, &[(200, 300), (steps - 100, steps)]);
    assert!(visited[1] <= visited[0] + visited[0] / 10, "{pipeline:?}: {visited:?} units");
    assert!(visited[1] > 0);
}

#[test]
fn s9_2_a_step_costs_what_it_adds_without_transforms() {
    check(Pipeline::new(), 10_000);
}

#[test]
fn s9_2_a_step_costs_what_it_adds_with_transforms_of_single_units() {
    let pipeline = Pipeline::new()
        .with(TruncateResults::new().bytes(20))
        .with(Redact::by(|_| None))
        .with(SummariseResults::above(1_000))
        .with(RemoveSimilar::above(1_000))
        .with(RemoveRepeats::new().above(10))
        .with(each("none", 1, |_, _| None));
    check(pipeline, 10_000);
}

#[test]
fn s9_2_a_step_costs_what_it_adds_with_transforms_that_drop() {
    check(Pipeline::new().with(SlidingWindow::of_units(50).down_to(25)), 2_000);
    check(Pipeline::new().with(TokenBudget::of(2_000)), 2_000);
    let all = Pipeline::new().with(DropTraces::keep(20).down_to(10)).with(RemoveRepeats::new());
    let all = all.with(SlidingWindow::of_units(50).down_to(25));
    check(all.with(TruncateResults::new().bytes(20)), 10_000);
}

#[test]
fn s9_2_a_step_costs_what_it_adds_from_the_tenth_to_the_ten_thousandth() {
    let pipeline = Pipeline::new().with(TruncateResults::new().bytes(20));
    let marks = [(9, 10), (99, 100), (999, 1_000), (9_999, 10_000)];
    let visited = visited(&pipeline, &marks);
    assert!(visited.iter().all(|one| *one == visited[0]), "{visited:?}");
}
