//! `legwork.toml`, the person's and the project's.

use fastrand::Rng;

use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "settings",
    seeds,
    grammar: None,
    words: &[
        "model = \"openai:gpt-5\"\n",
        "[budget]\n",
        "steps = 5\n",
        "budget.usd = 0.5\n",
        "budget.time = \"90s\"\n",
        "max_write = \"2GiB\"\n",
        "retry_for = \"1h 30m\"\n",
        "allow_paths = [\"~/x:ro\", \"/y\"]\n",
        "allow_paths = [",
        "\"a\",\n",
        "trust = [\"*\"]\n",
        "sandbox = \"auto\"\n",
        "network = true\n",
        "network = [\"api.example.com\", \"*.npmjs.org\", \"10.0.0.7:8080\", \"[::1]:9\"]\n",
        "store = \"sqlite:~/x.db\"\n",
        "[keys.openai]\ncommand = \"pass\"\n",
        "[providers.my]\nbase_url = \"http://h/v1\"\n",
        "[models.\"a:b\"]\nprice = { input = 1, output = 2 }\n",
        "[bounds]\nanswer_time = \"30m\"\n",
        "99999999999999999999y",
        "\"\"\"",
        "'''",
        "[[",
        "a.b.c.d.e",
        "\n\0\n",
        "inf",
        "1979-05-27T07:32:00Z",
    ],
    longest: MIB,
    memory: 256 * MIB,
    one_of: 1,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    texts([
        "model = \"openai:gpt-5\"\nbase_url = \"https://h/v1\"\nstore = \"sqlite:x.db\"\n\
         sandbox = \"auto\"\nnetwork = false\nallow_paths = [\"~/a\", \"b:ro\"]\n\
         trust = [\"/a/*\", \"*\"]\nbudget.steps = 100\nbudget.usd = 2.5\nbudget.tokens = 9\n\
         budget.time = \"30m\"\nmax_write = \"500MB\"\nretry_for = \"10m\"\n\
         retry_max_wait = \"30s\"\ncolor = \"auto\"\n",
        "[keys.openai]\ncommand = \"pass show openai\"\n[keys.groq]\nfile = \"~/k\"\n\
         [keys.my]\nenv = \"MY_KEY\"\n[providers.my]\nbase_url = \"http://10.0.0.7:8000/v1\"\n",
        "[models.\"my:model\"]\ncontext_window = 9\ncan = [\"tools\"]\nprice = { input = 0.5, output = 2, cache_read = 0.1 }\n",
        "[bounds]\nanswer_bytes = 1\nreceived_bytes = 2\nevent_bytes = 3\nevents = 4\ncalls = 5\n\
         values = 6\nnesting = 7\ntokens = 8\nfirst_byte = \"1s\"\nidle = \"2s\"\n\
         silence = \"3s\"\nanswer_time = \"30m\"\n",
        "model = \"ollama:qwen3\"\n[budget]\nsteps = 3\ntime = \"90s\"\n",
        "allow_paths = [\n\"a1\",\n\"b2:ro\",\n]\ntrust = [\n\"/a1/*\",\n]\n[keys.a1]\nenv = \"A\"\n\
         [models.\"m:a1\"]\nprice = { input = 1, output = 2 }\n[providers.a1]\nbase_url = \"http://a\"\n",
        "network = [\n\"h1.example\",\n\"*.npmjs.org:443\",\n\"10.0.0.7:8080\",\n\"[::1]:9\"]\n",
        "model = 'a:b' # c\nkeys = {openai = {command = [\"a\", \"b\"]}}\n",
    ])
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    // What is no UTF-8 is refused before.
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let (user, project) = match random.u8(..4) {
        0 => text.split_at(text.floor_char_boundary(text.len() / 2)),
        1 => ("", text),
        _ => (text, ""),
    };
    match legwork_cli::fuzzing::settings(user, project) {
        Ok(said) => {
            assert!(said.len() < 50 * input.len() + 10_000, "it says {} bytes", said.len());
            true
        }
        Err(problem) => {
            // At most 40 characters of the name of a key are shown, each escaped at worst.
            assert!(problem.len() < 8_192, "a problem of {} bytes", problem.len());
            let mut place = problem.split(": ").next().unwrap_or_default().rsplit(':');
            let mut number = || place.next().and_then(|text| text.parse::<usize>().ok());
            let (column, line) = (number(), number());
            let lines = text.matches('\n').count() + 1;
            assert!(
                line.is_some_and(|line| (1..=lines).contains(&line)),
                "{line:?} of {lines}: {problem}"
            );
            assert!(column.is_some_and(|column| column > 0), "{problem}");
            false
        }
    }
}
