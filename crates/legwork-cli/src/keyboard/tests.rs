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
