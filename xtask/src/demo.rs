//! `cargo xtask demo`: an agent works, is killed half way, resumes and finishes.
//!
//! All of it through the `legwork` command, as a person would use it.

use std::path::PathBuf;

use crate::cargo;

mod command;
mod extraction;
mod model;
mod run;
mod scene;

/// Runs the demo with the model that the flags, the environment or the machine offer.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let choice = match args {
        [] => model::Choice::WhatIsThere,
        [flag] if flag == "--scripted" => model::Choice::Scripted,
        [flag] if flag == "--local" => model::Choice::Local,
        _ => return Err("takes --scripted or --local, or nothing".to_owned()),
    };
    let program = cargo::build(&["--package", "legwork-cli"])?;
    let model = model::choose(choice)?;
    println!("model: {}", model.description);
    let sandbox = command::Sandbox::find(&program);
    println!("sandbox: {}", sandbox.description());
    let command = command::Legwork { program, folder: fresh_folder()?, model, sandbox };
    let scenes = match choice {
        model::Choice::Local => scene::ONE_STEP,
        model::Choice::Scripted | model::Choice::WhatIsThere => scene::WHOLE,
    };
    let mut missed: Vec<_> = scenes
        .iter()
        .filter_map(|scene| scene.play(&command).err().map(|error| (scene, error)))
        .map(|(scene, error)| format!("{}: {error}", scene.title))
        .collect();
    if choice == model::Choice::Local
        && let Err(error) = extraction::play(&command)
    {
        missed.push(format!("a value of a type: {error}"));
    }
    if missed.is_empty() {
        println!("\ndemo: killed, resumed, finished");
        return Ok(());
    }
    Err(missed.join("\n"))
}

/// An empty folder for the agent's files and its store.
fn fresh_folder() -> Result<PathBuf, String> {
    let folder = cargo::metadata()?.target_directory.join("demo");
    let cannot = |error| format!("cannot make {} anew: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(cannot)?;
    }
    std::fs::create_dir_all(&folder).map_err(cannot)?;
    Ok(folder)
}
