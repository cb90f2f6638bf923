use super::html;

#[track_caller]
fn check(page: &str, text: &str) {
    assert_eq!(html(page).text, text, "of {page}");
}

#[test]
fn text_is_collapsed_and_blocks_are_apart() {
    check("<p>One\n  two</p><p>three&nbsp;&amp; four</p>", "One two\n\nthree & four");
    check("<div>a</div><div>b</div>c", "a\nb\nc");
    check("a<br>b<br/>c", "a\nb\nc");
    check("<h1>Top</h1>x<h3> Sub </h3>y", "# Top\n\nx\n\n### Sub\n\ny");
    check("a <b>bold</b> <i>it</i>, <code>x = 1</code>.", "a **bold** *it*, `x = 1`.");
    check("a<hr>b", "a\n\n---\n\nb");
    check("one<span> two</span>", "one two");
}

#[test]
fn links_are_absolute_and_empty_ones_are_left_out() {
    check("<a href='../a?b#c'>A</a>", "[A](https://example.com/a?b#c)");
    check("see <a href=//b.org/>B <b>C</b></a> now", "see [B **C**](https://b.org/) now");
    check("<a href='#top'>Up</a> <a href='javascript:x()'>Do</a> <a>No</a>", "Up Do No");
    check("a<a href=/x></a>b <a href=/y><img src=y></a>", "ab");
    check(
        "<a href=/x>one<a href=/y>two</a>",
        "[one](https://example.com/x)[two](https://example.com/y)",
    );
}

#[test]
fn lists_are_set_in_and_numbered() {
    check("<ul><li>a<li>b<ul><li>c</ul></li></ul>d", "- a\n- b\n  - c\n\nd");
    check("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b");
    check("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b");
}

#[test]
fn quotes_and_preformatted_text_keep_their_shape() {
    check("<blockquote>a<br>b</blockquote>c", "> a\n> b\n\nc");
    check("<pre><code>if x:\n    y()\n</code></pre>z", "```\nif x:\n    y()\n```\n\nz");
}

#[test]
fn tables_with_a_head_are_tables_and_others_are_lines() {
    check(
        "<table><tr><th>A<th>B</tr><tr><td>1<br>2<td><p>x</p></tr></table>y",
        "| A | B |\n| --- | --- |\n| 1 2 | x |\n\ny",
    );
    check("<table><tr><td>a<p>b<td>c</table>", "a\n\nb\nc");
}

#[test]
fn what_is_no_text_is_left_out() {
    check("a<script>if (1<2) x('</b>')</script><style>p{}</style><!-- no -->b", "ab");
    check("<noscript>off</noscript><svg><title>No</title><text>no</text></svg>ok", "ok");
    check("<div hidden>no<div>no</div>no</div>yes", "yes");
    check("<img alt='A  cat'><img alt=''>", "[image: A cat]");
    check("<select><option>1<option>2</select><button>Go</button>x", "x");
    let page = html("<title> A &lt;page&gt; </title><title>B</title>x");
    assert_eq!((&*page.title, &*page.text), ("A <page>", "Bx"));
}

#[test]
fn the_main_content_is_shown_alone_where_the_page_names_it() {
    let long = "word ".repeat(60);
    let page = html(&format!("<nav>menu</nav><main><h1>T</h1>{long}</main><footer>foot</footer>"));
    assert_eq!(page.text, format!("# T\n\n{}", long.trim_end()));
    check("<nav>menu</nav><main>short</main>", "menu\n\nshort");
}

#[test]
fn the_source_is_shown_as_it_is() {
    use super::{address, kind};
    use crate::page::{Form, Page};
    let page = Page::read(&kind("text/html", ""), b"<p>a</p>", &address(), Form::Source);
    assert_eq!((&*page.text, &*page.title), ("<p>a</p>", ""));
}
