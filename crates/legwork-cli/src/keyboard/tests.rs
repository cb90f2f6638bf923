//! Who gets a line.

use super::{Keyboard, Typed};

fn line(text: &str) -> Typed {
    Typed::Line(text.to_owned())
}

#[test]
fn a_question_gets_the_next_line_and_the_chat_all_others() {
    let (keyboard, mut chat) = Keyboard::new();
    let mut answer = keyboard.answer();
    assert!(keyboard.typed(line("y")) && keyboard.typed(line("more")));
    assert_eq!(answer.try_recv().unwrap(), "y");
    assert_eq!(chat.try_recv().unwrap(), line("more"));
}

#[test]
fn a_question_that_is_dropped_takes_no_line() {
    let (keyboard, mut chat) = Keyboard::new();
    drop(keyboard.answer());
    assert!(keyboard.typed(line("more")));
    assert_eq!(chat.try_recv().unwrap(), line("more"));
}

#[test]
fn an_interrupt_is_no_answer() {
    let (keyboard, mut chat) = Keyboard::new();
    let mut answer = keyboard.answer();
    assert!(keyboard.typed(Typed::Interrupt));
    assert!(answer.try_recv().is_err());
    assert_eq!(chat.try_recv().unwrap(), Typed::Interrupt);
    drop(chat);
    assert!(!keyboard.typed(Typed::End));
}

#[test]
fn one_line_is_read_however_often_it_is_wanted() {
    let (keyboard, _chat) = Keyboard::new();
    keyboard.read();
    keyboard.read();
    keyboard.wanted();
    // It is being read: this asks for no other.
    keyboard.read();
    keyboard.typed(line("one"));
    let again = keyboard.clone();
    let reads = std::thread::spawn(move || again.wanted());
    assert!(!reads.is_finished());
    keyboard.read();
    reads.join().unwrap();
}

#[test]
fn a_command_is_no_answer_and_the_question_waits_on() {
    let (keyboard, mut chat) = Keyboard::new();
    let mut answer = keyboard.answer();
    assert!(keyboard.typed(line("/help")) && keyboard.asks());
    assert_eq!(chat.try_recv().unwrap(), line("/help"));
    assert!(keyboard.typed(line("//tmp")) && !keyboard.asks());
    assert_eq!(answer.try_recv().unwrap(), "/tmp");
    let mut answer = keyboard.answer();
    assert!(keyboard.typed(line("/usr/bin")));
    assert_eq!(answer.try_recv().unwrap(), "/usr/bin");
}

#[test]
fn what_was_half_typed_is_put_aside_while_a_question_waits() {
    let (keyboard, _chat) = Keyboard::new();
    keyboard.read();
    keyboard.wanted();
    let puts_aside = |line: &str| keyboard.puts_aside(line, "y".to_owned());
    assert!(!puts_aside("half"), "nothing is asked");
    let answer = keyboard.answer();
    assert!(puts_aside("half") && !puts_aside("y"));
    assert_eq!(keyboard.begins_again(), Some(("half".to_owned(), "y".to_owned())));
    assert_eq!(keyboard.begins_again(), None);
    assert_eq!(keyboard.takes_up(), None);
    assert!(keyboard.typed(line("y")));
    assert_eq!(keyboard.takes_up().as_deref(), Some("half"));
    drop(answer);
    // A line that is begun behind the question is its answer.
    let _answer = keyboard.answer();
    keyboard.wanted();
    assert!(!puts_aside("y"));
}
