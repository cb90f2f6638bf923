use super::*;

#[test]
fn s18_11_messages_go_to_the_server_itself_alone() {
    let url = "https://mcp.example.com/v1/sse?key=x";
    for (place, to) in [
        ("/messages?id=1", "https://mcp.example.com/messages?id=1"),
        ("messages/2", "https://mcp.example.com/v1/messages/2"),
        ("https://mcp.example.com/m", "https://mcp.example.com/m"),
        ("https://MCP.example.com:443/m", "https://MCP.example.com:443/m"),
        ("/messages?back=http://x", "https://mcp.example.com/messages?back=http://x"),
        ("?session=1", "https://mcp.example.com/v1/sse?session=1"),
    ] {
        assert_eq!(resolve(url, place).unwrap(), to);
    }
    for place in [
        "https://other.example.com/m",
        "http://mcp.example.com/m",
        "https://mcp.example.com:8443/m",
        "https://mcp.example.com@evil.example/m",
        "//evil.example/m",
        "/\\evil.example/m",
        "",
    ] {
        let refused = resolve(url, place).unwrap_err();
        let words = ["it sends messages to another server", "it does not say where messages go"];
        assert!(words.iter().any(|words| refused.starts_with(words)), "{place}: {refused}");
    }
}
