//! `legwork man`.

use std::fs;
use std::process::{Command, Stdio};

use crate::home::Home;

#[test]
fn there_is_a_page_for_each_verb() {
    let home = Home::new();
    let told = home.ran(&["man", "pages/man1"]).ends(0);
    let pages: Vec<_> = fs::read_dir(home.work().join("pages/man1"))
        .unwrap()
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(told.out, format!("wrote {} pages to pages/man1\n", pages.len()));
    for verb in [
        "",
        "-run",
        "-resume",
        "-sessions",
        "-sessions-rm",
        "-tools-call",
        "-models-ping",
        "-trust-add",
    ] {
        assert!(pages.contains(&format!("legwork{verb}.1")), "{verb} in {pages:?}");
    }
    assert!(pages.iter().all(|page| !page.contains("help")), "{pages:?}");
    let page = fs::read_to_string(home.work().join("pages/man1/legwork-run.1")).unwrap();
    assert!(page.contains("\n.SH EXAMPLES\n.nf\n  legwork run "), "{page}");
    fs::write(home.work().join("file"), "").unwrap();
    home.ran(&["man", "file"]).ends(1).says("writing manual pages");
}

#[test]
fn groff_has_nothing_to_warn_of() {
    let home = Home::new();
    home.ran(&["man", "pages"]).ends(0);
    for page in fs::read_dir(home.work().join("pages")).unwrap() {
        let page = page.unwrap().path();
        let mut groff = Command::new("groff");
        groff.args(["-man", "-Tutf8", "-ww", "-Wbreak"]).arg(&page).stdout(Stdio::null());
        let Ok(ran) = groff.output() else {
            println!("skipped: there is no groff to check the pages with");
            return;
        };
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && said.is_empty(), "{}: {said}", page.display());
    }
}
