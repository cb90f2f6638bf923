//! `cargo xtask docs`: the documentation of all crates.

use crate::cargo;

/// Builds it, and with `--open` shows it in a browser.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let mut command = cargo::command();
    command.args(["doc", "--workspace", "--all-features", "--no-deps"]);
    match args {
        [] => {}
        [flag] if flag == "--open" => {
            command.args(["--package", "legwork", "--open"]);
        }
        _ => return Err("takes nothing but --open".to_owned()),
    }
    let status = command.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !status.success() {
        return Err("`cargo doc` failed; its messages stand above".to_owned());
    }
    let page = cargo::metadata()?.target_directory.join("doc/legwork/index.html");
    println!("{}", page.display());
    Ok(())
}
