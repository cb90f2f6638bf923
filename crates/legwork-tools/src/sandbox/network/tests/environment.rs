//! The environment variables that make programs use the proxy.

use crate::sandbox::network::{Host, environment};

#[test]
fn s13_7_a_listed_loopback_address_is_reached_through_the_proxy() {
    for (hosts, direct) in [
        ("example.com", "localhost,127.0.0.1,::1"),
        ("127.0.0.1:5432", "localhost,::1"),
        ("[::ffff:127.0.0.1]:5432", "localhost,::1"),
        ("[::1]:5432", "localhost,127.0.0.1"),
        ("127.0.0.2 *.example.com ::2", "localhost,127.0.0.1,::1"),
        ("example.com 127.0.0.1 ::1", "localhost"),
    ] {
        let hosts: Vec<Host> = hosts.split(' ').map(|host| host.parse().expect("a host")).collect();
        let variables = environment(&hosts);
        let of = |name| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        for name in ["NO_PROXY", "no_proxy"] {
            assert_eq!(of(name), Some(&direct.into()), "{hosts:?}");
        }
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
            assert_eq!(of(name), Some(&"http://127.0.0.1:3128".into()), "{hosts:?}");
        }
    }
}
