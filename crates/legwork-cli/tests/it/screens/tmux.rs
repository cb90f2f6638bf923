//! A real terminal of a size, and what it shows.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use legwork_testkit::Server;

use crate::home::Home;

/// What a command ends with on a screen; its exit code follows.
const END: &str = "[ended ";

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A terminal in which one command runs; closed when dropped.
pub(super) struct Terminal {
    socket: String,
}

/// Whether there is tmux; says so where there is none.
pub(super) fn is_there() -> bool {
    let there = Command::new("tmux").arg("-V").output().is_ok_and(|told| told.status.success());
    if !there {
        println!("skipped: there is no tmux");
    }
    there
}

impl Terminal {
    /// Runs the command in a terminal of so many columns, and 60 lines.
    pub(super) fn run(home: &Home, server: &Server, columns: usize, line: &str) -> Self {
        let command = home.with(server, &[]);
        let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut words = vec!["env".to_owned(), "-i".to_owned(), "LANG=C.UTF-8".to_owned()];
        words.push("TERM=screen-256color".to_owned());
        words.push(format!("L={}", env!("CARGO_BIN_EXE_legwork")));
        for (name, value) in variables {
            words.push(format!("{}={}", name.to_str().unwrap(), value.to_str().unwrap()));
        }
        // The command is followed by its end, and the terminal stays to be looked at.
        let script = format!("trap : INT; {line}; echo \"{END}$?]\"; exec cat");
        words.extend(["sh".to_owned(), "-c".to_owned(), script]);
        // A server that was just killed may still be at its socket.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = home.work().parent().unwrap().join(format!("tmux-{number}"));
        let terminal = Self { socket: socket.to_str().unwrap().to_owned() };
        let size = columns.to_string();
        let begin = ["-f", "/dev/null", "new-session", "-d", "-x", &size, "-y", "60", "-c"];
        let work = home.work();
        let mut all: Vec<&str> = begin.to_vec();
        all.push(work.to_str().unwrap());
        all.extend(words.iter().map(String::as_str));
        let begun = terminal.tmux(&all);
        assert!(begun.status.success(), "{}", String::from_utf8_lossy(&begun.stderr));
        terminal
    }

    fn tmux(&self, args: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.args(["-u", "-S", &self.socket]).args(args).env("LANG", "C.UTF-8");
        command.env_remove("TMUX").output().unwrap()
    }

    /// Lines that the terminal broke are whole, as they are when they are copied.
    fn captured(&self, flags: &[&str]) -> String {
        let told = self.tmux(&[&["capture-pane", "-p", "-J"], flags].concat());
        String::from_utf8(told.stdout).unwrap()
    }

    /// What is shown as soon as it holds these words; each look waits for the terminal.
    pub(super) fn until(&self, words: &str) -> String {
        let began = Instant::now();
        loop {
            let screen = self.captured(&[]);
            if screen.contains(words) {
                return told(&screen);
            }
            assert!(began.elapsed() < Duration::from_secs(60), "no {words:?} in:\n{screen}");
        }
    }

    /// What is shown as soon as it holds these words so many times.
    pub(super) fn until_times(&self, words: &str, times: usize) -> String {
        let began = Instant::now();
        loop {
            let screen = self.captured(&[]);
            if screen.matches(words).count() >= times {
                return told(&screen);
            }
            let late = began.elapsed() > Duration::from_secs(60);
            assert!(!late, "no {times} times {words:?} in:\n{screen}");
        }
    }

    /// What is shown when the command has ended.
    pub(super) fn end(&self) -> String {
        self.until(END)
    }

    /// The same with its styles.
    pub(super) fn end_styled(&self) -> String {
        self.end();
        told(&self.captured(&["-e"])).replace('\x1b', "␛")
    }

    /// Types a line as it is, and ends it.
    pub(super) fn say(&self, line: &str) {
        assert!(self.tmux(&["send-keys", "-l", line]).status.success());
        self.press("Enter");
    }

    /// Presses a key, by its name in tmux.
    pub(super) fn press(&self, key: &str) {
        assert!(self.tmux(&["send-keys", key]).status.success());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// A screen without what differs from run to run; each stands for as many columns.
fn told(screen: &str) -> String {
    let screen = screen.trim_end();
    let mut told = String::new();
    for line in screen.lines() {
        told.push_str(redacted(line).trim_end());
        told.push('\n');
    }
    told
}

/// Ids, ports, times and paths replaced.
fn redacted(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let found = age(rest)
            .or_else(|| id(rest))
            .or_else(|| port(rest))
            .or_else(|| time(&out, rest))
            .or_else(|| place(rest))
            .or_else(|| tokens(rest));
        let (length, shown) = found.unwrap_or((c.len_utf8(), c.to_string()));
        out.push_str(&shown);
        rest = &rest[length..];
    }
    out
}

fn id(text: &str) -> Option<(usize, String)> {
    let is_id = |text: &str| {
        let dashes = [8, 13, 18, 23];
        text.bytes().enumerate().all(|(at, b)| match dashes.contains(&at) {
            true => b == b'-',
            false => b.is_ascii_hexdigit(),
        })
    };
    // A short one stands in a list, where a column follows, or ends a line.
    let fits = |size: &usize| {
        let rest = text.get(*size..);
        *size == 36 || rest.is_some_and(|rest| rest.starts_with("  ") || is_end(rest))
    };
    let sizes = [36, 8].into_iter().filter(fits);
    let found = { sizes }.find(|size| text.get(..*size).is_some_and(is_id))?;
    Some((found, format!("{:-^found$}", "id")))
}

/// Whether nothing follows but styles, or the end of a command that is shown.
fn is_end(rest: &str) -> bool {
    rest.is_empty() || ["\x1b", ";", "`", " --"].iter().any(|end| rest.starts_with(end))
}

fn port(text: &str) -> Option<(usize, String)> {
    let rest = text.strip_prefix("127.0.0.1:")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((text.len() - rest.len() + digits, format!("127.0.0.1:{}", "P".repeat(digits))))
}

/// A time is of no fixed width, for it stands where lines may differ in it.
fn time(before: &str, text: &str) -> Option<(usize, String)> {
    if before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.') {
        return None;
    }
    let digits = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let rest = text.get(digits..).filter(|_| digits > 0)?;
    let unit = [" ms", " s"].into_iter().find(|unit| {
        let after = rest.strip_prefix(unit);
        after.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })?;
    Some((digits + unit.len(), "TIME".to_owned()))
}

fn place(text: &str) -> Option<(usize, String)> {
    let rest = text.strip_prefix("/tmp/.tmp")?;
    let name = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    Some((text.len() - rest.len() + name, format!("/tmp/.tmp{}", "X".repeat(name))))
}

/// An estimate of what a request took that was cut off: all of its text counts.
fn tokens(text: &str) -> Option<(usize, String)> {
    let number = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b',').count();
    let is_estimate = number > 3 && text.get(number..)?.starts_with(" tokens in");
    is_estimate.then(|| (number, "MANY".to_owned()))
}

/// How long ago something was, below a hundred seconds.
fn age(text: &str) -> Option<(usize, String)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let seconds = " s ago";
    let length = match text.starts_with("just now") {
        true => "just now".len(),
        false if digits > 0 && text.get(digits..)?.starts_with(seconds) => digits + seconds.len(),
        false => return None,
    };
    Some((length, format!("{:-^length$}", "AGE")))
}
