//! What is refused, and in which words; what works is tested in the façade.

use proc_macro2::TokenStream;

use crate::expand;

fn expand(options: &str, item: &str) -> Result<TokenStream, syn::Error> {
    expand::tool(options.parse().unwrap(), item.parse().unwrap())
}

/// Expects a function to be refused, in these words and at this piece of it.
fn refused(options: &str, item: &str, words: &str) {
    let error = expand(options, item).expect_err("it was taken").to_string();
    assert!(error.contains(words), "{error}");
}

#[test]
fn a_plain_and_an_async_function_are_taken() {
    for item in ["/// D.\nfn a() {}", "/// D.\npub async fn a(mut x: i64) -> i64 { x }"] {
        let tokens = expand("", item).unwrap();
        let file: syn::File = syn::parse2(tokens).unwrap();
        assert_eq!(file.items.len(), 1);
    }
}

#[test]
fn all_options_are_taken() {
    let options = "name = \"a-b\", once = \"tell\", sequential, timeout = \"1500ms\", \
                   max_retries = 3, max_calls = 9, resource = \"x\", validate = is_x, \
                   approval = \"once\", tags = [\"t\"], metadata(owner = \"me\", level = 1 + 1), \
                   crate = \"other::legwork\"";
    let tokens = expand(options, "/// D.\nasync fn a(x: i64) {}").unwrap().to_string();
    for part in [
        "\"a-b\"",
        "Tell",
        "Sequential",
        "1500000u64",
        "max_retries (3u32)",
        "max_calls (9u32)",
        "__legwork_check = is_x ; __legwork_check (& __legwork_arguments . x)",
        "Ask :: once ()",
        "tag (\"t\")",
        "json ! (1 + 1)",
        "other :: legwork",
    ] {
        assert!(tokens.contains(part), "{part} is not in {tokens}");
    }
}

#[test]
fn a_doc_comment_is_asked_for() {
    refused("", "fn a() {}", "a tool needs a doc comment");
    refused("", "///  \nfn a() {}", "a tool needs a doc comment");
}

#[test]
fn an_item_that_is_not_a_free_function_is_refused() {
    refused("", "/// D.\nfn a(&self) {}", "a tool has no `self`");
    refused("", "/// D.\nstruct A;", "goes before a function");
    refused("", "/// D.\nfn a<T>(x: T) {}", "no generic parameters");
    refused("", "/// D.\nfn a<'x>(x: X<'x>) {}", "no generic parameters");
    refused("", "/// D.\nunsafe fn a() {}", "a plain or an `async` function");
    refused("", "/// D.\nextern \"C\" fn a() {}", "a plain or an `async` function");
    refused("", "/// D.\nconst fn a() {}", "a plain or an `async` function");
}

#[test]
fn parameters_that_have_no_schema_are_refused() {
    refused("", "/// D.\nfn a((x, y): (i64, i64)) {}", "needs a name that the model can use");
    refused("", "/// D.\nfn a(_: i64) {}", "needs a name that the model can use");
    refused("", "/// D.\nfn a(x: &str) {}", "take `String` for `&str`");
    refused("", "/// D.\nfn a(x: impl Into<String>) {}", "name the type");
    refused("", "/// D.\nfn a(#[dep] x: &mut Mail) {}", "put what changes behind a lock");
    refused("", "/// D.\nfn a(#[dep(x)] x: &Mail) {}", "unexpected token in attribute");
    refused("", "/// D.\nfn a(#[dep] x: Dep<Mail>) {}", "leave `#[dep]` out");
    refused("", "/// D.\nfn a(x: &Dep<Mail>) {}", "take `Dep<T>` by value");
    refused("", "/// D.\nfn a(x: Dep) {}", "a dependency has one type");
    refused("", "/// D.\nfn a(x: Dep<Mail, Pool>) {}", "a dependency has one type");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let check = |options: &str, words: &str| refused(options, "/// D.\nfn a(x: i64) {}", words);
    check("redonly", "a tool has no option `redonly`: use `name`");
    check("a::b", "a tool has no such option");
    check("read_only, idempotent", "one effect class");
    check("sequential, sequential", "`sequential` is given twice");
    check("sequential, mode = \"sequential\"", "give `sequential` or `mode`");
    check("mode = \"fast\"", "`mode` is \"sequential\" (alone)");
    check("mode = 1", "`mode` is \"sequential\" (alone)");
    check("max_calls = \"many\"", "`max_calls` is a whole number, as in `max_calls = 3`");
    check("approval = \"sometimes\"", "\"once\" or \"once_per_session\"");
    check("approval = true", "or a value of the type `Ask`");
    check("approval", "or a value of the type `Ask`");
    check("tags = \"write\"", "`tags` is a list of texts");
    check("tags = [write]", "`tags` is a list of texts");
    check("tags(\"write\")", "`tags` is a list of texts");
    check("metadata = \"x\"", "names and values in parentheses");
    check("metadata(owner)", "names and values in parentheses");
    check("metadata(a = 1, a = 2)", "`a` is given twice");
    check("once = \"maybe\"", "\"ask\" a person");
    check("name = \"a b\"", "1 to 64 of the characters");
    check("name = \"\"", "1 to 64 of the characters");
    for timeout in ["30", "s", "1.5s", "0s", "99999999999999h", "-1s", ""] {
        check(&format!("timeout = \"{timeout}\""), "a whole number above 0 and a unit");
    }
    check("timeout = \"30s\"", "a timeout cannot stop a function that is not `async`");
    check("timeout = 30", "such as \"30s\"");
    check("max_retries = -1", "`max_retries` is a whole number");
    check("max_retries = \"3\"", "`max_retries` is a whole number");
    check("resource = \"path\"", "there is no parameter `path`");
    let nothing = "there is nothing to validate";
    refused("validate = is_x", "/// D.\nfn a() {}", nothing);
    refused("validate = is_x", "/// D.\nfn a(cx: &ToolContext, db: Dep<Db>) {}", nothing);
}

#[test]
fn an_error_points_at_what_is_wrong() {
    let error = expand("", "/// D.\nfn a(x: i64, y: &str) {}").unwrap_err();
    assert_eq!(error.span().source_text().as_deref(), Some("&str"));
    let error = expand("", "fn nameless() {}").unwrap_err();
    assert_eq!(error.span().source_text().as_deref(), Some("nameless"));
}
