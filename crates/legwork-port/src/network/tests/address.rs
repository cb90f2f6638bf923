//! Which addresses are public.

use std::net::IpAddr;

use crate::network::is_public;

#[test]
fn s13_7_addresses_of_this_machine_and_of_private_networks_are_not_public() {
    let all = |texts: &str| -> Vec<IpAddr> {
        texts.split_whitespace().map(|text| text.parse().expect("an address")).collect()
    };
    for address in all("1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 \
                        128.0.0.0 169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.0 192.167.0.1 \
                        198.17.0.1 198.20.0.0 223.255.255.255 ::ffff:8.8.8.8 64:ff9b::808:808 \
                        2606:4700::1111 2a00:1450::1 2001:200::1 3ffe::1")
    {
        assert!(is_public(address), "{address}");
    }
    for address in all("0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 \
                        127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 \
                        192.0.0.1 192.0.2.7 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 \
                        198.51.100.1 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 \
                        255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 \
                        64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1 \
                        2002:7f00:1::1 3fff::1 5f00::1 fc00::1 fdff::1 fe80::1 fec0::1 ff02::1")
    {
        assert!(!is_public(address), "{address}");
    }
}
