//! `ask_user`: the agent asks, and is answered at the terminal or by another command.

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, text};

fn asks(free_text: bool) -> Turn {
    let choices = ["red", "green"];
    let question = "Which colour is the door to be?";
    Turn::call(
        "ask_user",
        json!({"question": question, "choices": choices, "free_text": free_text}),
    )
}

fn result(server: &Server) -> String {
    server.requests().last().unwrap().asked.results().concat()
}

/// Runs until the agent's question rests; gives the session.
fn rests(home: &Home, server: &Server) -> String {
    let paused = home.ran_with(server, &["run", "--json", "Paint"]).ends(4).last();
    assert_eq!(
        (&paused["type"], &paused["status"]),
        (&"execution_paused".into(), &"awaiting_input".into())
    );
    text(&paused, "session")
}

#[test]
fn s7_4_s7_8_a_question_rests_and_another_command_answers_it() {
    let (home, server) = (Home::new(), Server::start([asks(false), Turn::text("Done.")]).unwrap());
    let told = home.ran_with(&server, &["run", "Paint"]).ends(4);
    let told = told.says("question: Which colour is the door to be?\n  1 red\n  2 green\n");
    let next = told.err.lines().rev().find_map(|line| line.strip_prefix("to go on: legwork "));
    let (next, id) = (next.unwrap().to_owned(), home.ran(&["sessions", "list", "--json"]).last());
    let id = text(&id, "session");
    assert_eq!(next, format!("answer {id} --result \"..\""));
    let listed = home.ran(&["pending", &id]).ends(0).out;
    assert!(listed.contains("ask_user Which colour is the door to be?"), "{listed}");
    assert!(listed.contains("            1 red\n            2 green\n"), "{listed}");
    let refused = home.ran(&["answer", &id, "--result", "blue"]).ends(2);
    refused.says("\"blue\" is none of the choices: 1 red, 2 green").says("Which colour");
    home.ran(&["answer", &id, "--result", "2"]).ends(0);
    home.ran_with(&server, &["resume", &id]).ends(0);
    assert_eq!(result(&server), "green");
}

#[test]
fn s7_8_other_words_answer_a_question_that_takes_them_and_a_number_stays_text() {
    for (answer, read) in [("blue", "blue"), ("1", "red"), ("3", "3"), ("{\"a\": 1}", "{\"a\": 1}")]
    {
        let (home, server) =
            (Home::new(), Server::start([asks(true), Turn::text("Done.")]).unwrap());
        let id = rests(&home, &server);
        assert!(home.ran(&["pending", &id]).ends(0).out.contains("      or other words\n"));
        home.ran(&["answer", &id, "--result", answer]).ends(0);
        home.ran_with(&server, &["resume", &id]).ends(0);
        assert_eq!(result(&server), read);
    }
}

#[test]
fn a_question_may_be_declined_with_words() {
    let (home, server) = (Home::new(), Server::start([asks(false), Turn::text("Done.")]).unwrap());
    let id = rests(&home, &server);
    home.ran(&["deny", &id, "-m", "decide yourself"]).ends(0);
    home.ran_with(&server, &["resume", &id]).ends(0);
    assert!(result(&server).contains("decide yourself"), "{}", result(&server));
}

#[test]
fn s7_8_who_is_not_to_be_asked_is_not_and_the_agent_decides() {
    let (home, server) = (Home::new(), Server::start([asks(false), Turn::text("Red.")]).unwrap());
    let ran = home.ran_with(&server, &["run", "--approve", "never", "Paint"]).ends(0);
    assert_eq!(ran.out, "Red.\n");
    assert!(result(&server).contains("decide what is sensible"), "{}", result(&server));
}

#[test]
fn s7_8_asking_is_not_itself_asked_about() {
    let (home, server) = (Home::new(), Server::start([asks(false), Turn::text("Red.")]).unwrap());
    let args = ["run", "--json", "--approve", "all", "Paint"];
    let paused: Value = home.ran_with(&server, &args).ends(4).last();
    assert_eq!(paused["pending"][0]["reason"], "external", "{paused}");
}
