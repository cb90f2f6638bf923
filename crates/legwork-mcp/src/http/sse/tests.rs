use super::*;

#[test]
fn s18_11_messages_go_to_the_server_itself_alone() {
    let url = "https://mcp.example.com/v1/sse?key=x";
    for (place, to) in [
        ("/messages?id=1", "https://mcp.example.com/messages?id=1"),
        ("messages/2", "https://mcp.example.com/v1/messages/2"),
        ("https://mcp.example.com/m", "https://mcp.example.com/m"),
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
        let refused = resolve(url, place);
        if place.is_empty() {
            // The folder of the stream is the server's own.
            assert_eq!(refused.unwrap(), "https://mcp.example.com/v1/");
        } else {
            assert!(refused.unwrap_err().starts_with("it sends messages to another server"));
        }
    }
}
