//! What is asked in a chat, and what the keyboard does meanwhile.

use std::fs;

use super::chat::{CHAT, ended, heard, home, scripted};
use super::tmux::{self, Terminal};
use crate::home::text;
use crate::mcp_questions;

#[test]
fn s7_8_the_keyboard_lives_behind_an_answer_and_the_person_is_told_of_the_question() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = (home(), scripted());
    let told = home.pipe("../told");
    home.settings("notify = 'echo $LEGWORK_STATUS > $HOME/told'");
    let terminal = Terminal::run(&home, &server, 80, CHAT);
    terminal.until("/help shows");
    server.hold(1);
    terminal.say("ask");
    terminal.until("your answer");
    assert_eq!(fs::read_to_string(&told).unwrap(), "awaiting_input\n");
    terminal.say("red");
    server.arrived_blocking(1);
    terminal.press("C-c");
    terminal.until("interrupted: ");
    server.release(1);
    terminal.press("C-d");
    terminal.end();
    assert_eq!(server.requests()[1].asked.results(), ["red"]);
}

#[test]
fn s15_6_quit_leaves_while_the_agent_works() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = (home(), scripted());
    let terminal = Terminal::run(&home, &server, 80, CHAT);
    terminal.until("/help shows");
    server.hold(0);
    terminal.say("long");
    server.arrived_blocking(0);
    terminal.say("/quit");
    let screen = terminal.end();
    server.release(0);
    assert!(screen.contains("[ended 0]") && screen.contains("interrupted: "), "{screen}");
}

#[test]
fn s15_4_a_question_that_was_withdrawn_is_shown_again() {
    if !tmux::is_there() {
        return;
    }
    let line = format!("{CHAT} --approve writes");
    for (words, asks, answer) in [("write", "[l]ater?", "y"), ("ask", "your answer", "red")] {
        for key in ["C-c", "Escape"] {
            let (home, server) = (home(), scripted());
            let terminal = Terminal::run(&home, &server, 80, &line);
            terminal.until("/help shows");
            terminal.say(words);
            terminal.until(asks);
            terminal.press(key);
            terminal.until("to go on: /resume asks again");
            terminal.say("/resume");
            terminal.until_times(asks, 2);
            terminal.say(answer);
            terminal.until("Done.");
            terminal.press("C-d");
            let screen = terminal.end();
            assert!(!screen.contains("leaves the chat"), "it was no key of the chat:\n{screen}");
        }
    }
}

#[test]
fn s7_4_a_question_at_one_terminal_is_answered_at_another() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = (home(), scripted());
    let terminal = Terminal::run(&home, &server, 80, "$L run --sandbox off --approve writes write");
    terminal.until("[l]ater?");
    let waiting = home.ran(&["pending", "--json"]).ends(0).events().remove(0);
    let approved = home.ran(&["approve", &text(&waiting, "root")]).ends(0);
    // The terminal goes on by itself, so nothing else is proposed.
    assert_eq!(approved.out, "approved: write new.txt (once the process that runs it looks)\n");
    terminal.until("Done.");
    let screen = terminal.end();
    assert!(screen.contains("a call was approved"), "{screen}");
    assert_eq!(fs::read_to_string(home.work().join("new.txt")).unwrap(), "new\n");
}

#[test]
fn s15_3_a_warning_holds_until_something_is_typed() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = (home(), scripted());
    let terminal = Terminal::run(&home, &server, 80, CHAT);
    terminal.until("/help shows");
    terminal.press("C-c");
    terminal.until("Ctrl-C again or Ctrl-D leaves");
    terminal.press("words");
    terminal.until("> words");
    terminal.press("C-c");
    terminal.say("hello");
    terminal.until("Heard hello");
    terminal.press("C-d");
    terminal.end();
}

#[test]
fn s15_4_commands_are_no_answers_and_two_slashes_stand_for_one() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = (home(), scripted());
    let terminal = Terminal::run(&home, &server, 80, CHAT);
    terminal.until("/help shows");
    terminal.say("ask");
    terminal.until("your answer");
    terminal.say("/cost");
    terminal.until("the last turn: ");
    terminal.until_times("your answer", 2);
    terminal.say("/model test:other");
    terminal.until("/model waits until the agent rests");
    terminal.until_times("your answer", 3);
    terminal.say("//blue");
    terminal.until("Done.");
    terminal.press("C-d");
    terminal.end();
    assert_eq!(server.requests()[1].asked.results(), ["/blue"]);
}

#[test]
fn s15_4_what_was_half_typed_is_no_answer() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = (home(), scripted());
    let terminal = Terminal::run(&home, &server, 80, CHAT);
    terminal.until("/help shows");
    server.hold(0);
    terminal.say("ask");
    server.arrived_blocking(0);
    terminal.press("half");
    terminal.until("> half");
    server.release(0);
    terminal.until("is put aside");
    terminal.press("r");
    let screen = terminal.until("> r");
    assert!(!screen.contains("> half"), "{screen}");
    terminal.say("ed");
    terminal.until("Done.");
    ended(&terminal, 1);
    terminal.until("> half");
    terminal.press("Enter");
    terminal.until("Heard half");
    terminal.press("C-d");
    terminal.end();
    assert_eq!(server.requests()[1].asked.results(), ["red"]);
    assert_eq!(heard(&server), ["ask", "half"]);
}

#[test]
fn s15_5_what_is_said_while_a_call_waits_names_the_command_of_the_chat() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = (home(), scripted());
    let terminal = Terminal::run(&home, &server, 80, &format!("{CHAT} --approve writes"));
    terminal.until("/help shows");
    terminal.say("write");
    terminal.until("[l]ater?");
    terminal.say("l");
    terminal.until("to go on: /resume asks again");
    terminal.say("more");
    let screen = terminal.until("hint: ");
    assert!(screen.contains("hint: /resume") && !screen.contains("legwork resume"), "{screen}");
    terminal.press("C-d");
    terminal.end();
}

#[test]
fn s13_11_a_key_that_is_typed_while_the_agent_works_is_masked() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = (home(), scripted());
    let key = "sk-typed-0123456789abcdef";
    let line = format!("OPENAI_API_KEY={key} {CHAT} --model openai:scripted");
    let terminal = Terminal::run(&home, &server, 80, &line);
    terminal.until("/help shows");
    server.hold(0);
    terminal.say("long");
    server.arrived_blocking(0);
    terminal.say(&format!("it is {key}"));
    terminal.until("the agent is told");
    let store = home.store();
    let holds = |end: &str, text: &str| {
        let bytes = fs::read(format!("{}{end}", store.display())).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    assert!(holds("", "it is [redacted]") || holds("-wal", "it is [redacted]"));
    assert!(!holds("", key) && !holds("-wal", key));
    server.release(0);
    terminal.until("Heard it is");
    terminal.press("C-d");
    terminal.end();
}

#[test]
fn s7_9_input_is_asked_for_field_by_field() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = mcp_questions::home();
    let terminal = Terminal::run(&home, &server, 80, "$L run --sandbox off Paint");
    let screen = terminal.until("Colour: a number, or the words (return alone: later):");
    assert!(screen.contains("my_paint asks: How is the door to be?"), "{screen}");
    assert!(screen.contains("1 red") && screen.contains("2 green"), "{screen}");
    terminal.say("blue");
    terminal.until("\"blue\" is none of the choices: 1 red, 2 green");
    terminal.say("2");
    terminal.until("coats: how often");
    terminal.until("coats: a whole number (return alone: 2):");
    terminal.say("");
    terminal.until("Done.");
    terminal.end();
    let result = mcp_questions::result(&server);
    assert!(result.contains("painted {coats:2,colour:green}"), "{result}");
}

#[test]
fn s7_9_a_form_is_left_for_later() {
    if !tmux::is_there() {
        return;
    }
    let (home, server) = mcp_questions::home();
    let terminal = Terminal::run(&home, &server, 80, "$L run --sandbox off Paint");
    terminal.until("Colour: a number, or the words (return alone: later):");
    terminal.say("");
    let screen = terminal.end();
    assert!(screen.contains("[ended 4]") && screen.contains("to go on: "), "{screen}");
}
