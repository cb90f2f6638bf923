use super::bodies;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found: Vec<_> = bodies(text).into_iter().map(|body| &text[body]).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_body_is_found_with_its_braces() {
    check("fn a() { 1 }\nfn b<'a>(x: &'a str) -> char { '}' }", &["{ 1 }", "{ '}' }"]);
    check("impl A { fn a(&self) {} async fn b() { c().await } }", &["{}", "{ c().await }"]);
}

#[test]
fn braces_in_texts_and_comments_are_none() {
    check("fn a() { \"}\\\"\" // }\n }", &["{ \"}\\\"\" // }\n }"]);
    check("fn a() { r#\"}\"}\"# /* } */ }", &["{ r#\"}\"}\"# /* } */ }"]);
    check("// fn a() { 1 }\nfn b() { '\\u{7d}' }", &["{ '\\u{7d}' }"]);
    check("fn a() { 'é' } fn b() { '{' }", &["{ 'é' }", "{ '{' }"]);
}

#[test]
fn a_function_inside_another_belongs_to_it() {
    check("fn a() { fn b() {} b() }", &["{ fn b() {} b() }"]);
}

#[test]
fn what_is_only_declared_or_cannot_be_a_branch_is_left_out() {
    check("trait A { fn a(x: [u8; 2]); fn b() { 1 } }", &["{ 1 }"]);
    check("const fn a() { 1 } pub const fn b() {} const C: u8 = 1; fn d() { 2 }", &["{ 2 }"]);
    check("fn a() -> impl Fn() { || {} } fn b() -> Box<dyn Fn()> { c }", &["{ c }"]);
    check("type F = fn (u8); const G: fn(u8) = h;", &[]);
}
