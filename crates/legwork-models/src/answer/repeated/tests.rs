use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_core::Response;
use legwork_port::Delta;
use serde_json::{Value, json};

use super::{LONGEST, LONGEST_NAME, NAMES, RUNS, Repeated};
use crate::Api;
use crate::answer::{Ended, Reply, Streaming};

/// An answer with these tools and this other field said again.
fn answer(number: u64, tools: &Value, top_p: &str) -> String {
    format!(
        r#"{{"id":"resp_{number}","object":"response","created_at":{number},"status":"completed",
"error":null,"instructions":"Be careful.","metadata":{{}},"model":"gpt-5-mini","output":[{{"type":
"message","id":"msg_{number}","role":"assistant","status":"completed","content":[{{"type":
"output_text","text":"It is {number}.","annotations":[]}}]}}],"parallel_tool_calls":true,"previous_response_id":null,"temperature":1.0,"text":{{"format":{{"type":"text"}}}},"tools":{tools},"top_p":{top_p},"usage":{{"input_tokens":{number},"output_tokens":2}},"novel":{number}}}"#
    )
}

fn read(body: &str, repeated: Option<&Arc<Repeated>>) -> Option<Response> {
    let mut reply = Reply::new(Api::Responses, 200, Some("application/json"), Streaming::No);
    if let Some(repeated) = repeated {
        reply = reply.after(repeated);
    }
    reply.push(body.as_bytes(), &mut |_: Delta<'_>| ControlFlow::Continue(()));
    reply.finish(Ended::Whole).ok()
}

#[test]
fn s11_4_an_answer_is_read_as_if_it_were_the_first() {
    let repeated = Arc::default();
    let add = json!([{"type": "function", "name": "add", "parameters": {"type": "object"}}]);
    let both = json!([add[0], {"type": "web_search"}]);
    let none = json!([]);
    let answers = [(&add, "1.0"), (&add, "1.0"), (&add, "1.05"), (&both, "1.0"), (&none, "1.0")];
    for (number, (tools, top_p)) in (0..).zip(answers.into_iter().cycle().take(20)) {
        let body = answer(number, tools, top_p);
        let came = read(&body, Some(&repeated)).unwrap();
        assert_eq!(Some(&came), read(&body, None).as_ref(), "{body}");
        assert_eq!(came.text(), format!("It is {number}."));
        assert_eq!(came.raw["novel"], number);
        // What breaks off is broken, wherever that is.
        for end in 0..body.len() {
            assert_eq!(read(&body[..end], Some(&repeated)), None, "{end} of {body}");
        }
    }
}

#[test]
fn what_comes_again_is_kept_once_and_the_oldest_goes() {
    let repeated = Arc::<Repeated>::default();
    let tools = |number: u64| json!([{"type": "function", "name": format!("f{number}")}]);
    for number in 0..3 {
        read(&answer(number, &tools(0), "1.0"), Some(&repeated)).unwrap();
    }
    let firsts = ["object", "error", "parallel_tool_calls"];
    let runs = repeated.runs();
    assert_eq!(runs.len(), firsts.len(), "{runs:?}");
    for (run, name) in runs.iter().zip(firsts) {
        let first = run.trim_start_matches([',', '\n']);
        assert!(first.starts_with(&format!("\"{name}\":")), "{run}");
    }
    for number in 0..20 {
        read(&answer(number, &tools(number), "1.0"), Some(&repeated)).unwrap();
    }
    let runs = repeated.runs();
    assert_eq!(runs.len(), RUNS);
    assert!(runs.iter().any(|run| run.contains("f19")), "{runs:?}");
    assert!(!runs.iter().any(|run| run.contains("\"f0\"")), "{runs:?}");
    // What is too long to be kept is read each time.
    let long = json!([{"type": "x".repeat(LONGEST)}]);
    read(&answer(1, &long, "1.0"), Some(&repeated)).unwrap();
    assert_eq!(repeated.runs(), runs);
}

#[test]
fn runs_that_come_in_another_order_are_found() {
    let repeated = Arc::<Repeated>::default();
    let body = |runs: [&str; 3]| {
        let [first, second, third] = runs.map(|name| format!(r#""{name}":"{name}""#));
        format!(
            r#"{{"id":"resp_1",{first},"status":"completed",{second},"output":[],{third},"novel":1}}"#
        )
    };
    let orders = [["user", "truncation", "tools"], ["tools", "user", "truncation"]];
    let mut kept = None;
    for order in orders.into_iter().cycle().take(6) {
        let body = body(order);
        assert_eq!(read(&body, Some(&repeated)), read(&body, None), "{body}");
        let runs = repeated.runs();
        let kept = kept.get_or_insert_with(|| Arc::clone(&runs));
        assert!(Arc::ptr_eq(kept, &runs), "{runs:?}");
    }
}

#[test]
fn answers_of_two_kinds_in_turns_keep_the_runs_of_both() {
    let (repeated, none, add) = (Arc::<Repeated>::default(), json!([]), json!([{"type": "x"}]));
    let mut kept = None;
    for number in 0..8 {
        let body = answer(number, if number % 2 == 0 { &none } else { &add }, "1.0");
        assert_eq!(read(&body, Some(&repeated)), read(&body, None), "{body}");
        if number >= 2 {
            let kept = kept.get_or_insert_with(|| repeated.runs());
            assert!(Arc::ptr_eq(kept, &repeated.runs()), "nothing is new");
        }
    }
}

#[test]
fn a_name_is_kept_once_and_the_oldest_goes() {
    let repeated = Repeated::default();
    let first = repeated.name("add");
    assert!(Arc::ptr_eq(&first, &repeated.name("add")));
    assert_eq!(&*repeated.name("sub"), "sub");
    let long = "x".repeat(LONGEST_NAME + 1);
    assert!(!Arc::ptr_eq(&repeated.name(&long), &repeated.name(&long)), "what is long is not kept");
    for number in 0..NAMES {
        assert_eq!(*repeated.name(&number.to_string()), *number.to_string());
    }
    assert!(!Arc::ptr_eq(&first, &repeated.name("add")));
}
