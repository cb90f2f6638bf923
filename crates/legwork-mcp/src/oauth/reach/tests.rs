use super::*;

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn s18_12_addresses_that_are_not_public_are_reached_only_from_there() {
    for (from, to, reaches) in [
        (Place::Public, "93.184.216.34", true),
        (Place::Public, "127.0.0.1", false),
        (Place::Public, "::1", false),
        (Place::Public, "::ffff:127.0.0.1", false),
        (Place::Public, "10.0.0.9", false),
        (Place::Public, "100.64.0.1", false),
        (Place::Public, "fd00::1", false),
        (Place::Public, "169.254.169.254", false),
        (Place::Public, "0.0.0.0", false),
        (Place::Private, "93.184.216.34", true),
        (Place::Private, "10.0.0.9", true),
        (Place::Private, "fd00::1", true),
        (Place::Private, "127.0.0.1", false),
        (Place::Private, "169.254.169.254", false),
        (Place::Loopback, "127.0.0.1", true),
        (Place::Loopback, "::1", true),
        (Place::Loopback, "10.0.0.9", false),
        (Place::Loopback, "fe80::1", false),
        (Place::Reserved, "169.254.169.254", false),
        (Place::Reserved, "10.0.0.9", false),
    ] {
        assert_eq!(from.reaches(address(to)), reaches, "{from:?} {to}");
    }
}

#[test]
fn s18_12_a_server_that_answers_from_several_places_counts_as_public() {
    let peers = Peers::default();
    assert_eq!(peers.place(), None);
    peers.note(address("10.0.0.1"));
    peers.note(address("10.0.0.2"));
    assert_eq!(peers.place(), Some(Place::Private));
    peers.note(address("93.184.216.34"));
    peers.note(address("10.0.0.1"));
    assert_eq!(peers.place(), Some(Place::Public));
}
