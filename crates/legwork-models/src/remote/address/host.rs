//! The host of a base URL, as programs read it.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A host and what is written behind it as its port.
pub(super) fn split(authority: &str) -> (&str, Option<&str>) {
    let end = authority.rfind(']').map_or(0, |bracket| bracket + 1);
    match authority.get(end..).and_then(|rest| rest.find(':')) {
        Some(colon) => {
            let (host, port) = authority.split_at(end + colon);
            (host, port.strip_prefix(':'))
        }
        None => (authority, None),
    }
}

/// Reads a host: a name in lower case, or an address.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(host: &str) -> Result<String, String> {
    if host.is_empty() {
        return Err("it has no host".to_owned());
    }
    if let Some(rest) = host.strip_prefix('[') {
        let address = rest.strip_suffix(']').and_then(|text| text.parse::<Ipv6Addr>().ok());
        let host = address.map(|_| host.to_ascii_lowercase());
        return host.ok_or_else(|| "its host is not an IPv6 address".to_owned());
    }
    if let Some(letter) = host.chars().find(|letter| !letter.is_ascii()) {
        return Err(format!(
            "there is a letter in its host that is not ASCII, {letter:?}: write the name in ASCII, \
             with `xn--` where its owner has registered it so"
        ));
    }
    if let Some(odd) = host.chars().find(|odd| !is_of_a_name(*odd)) {
        return Err(format!("there is a character in its host that names do not have, {odd:?}"));
    }
    if !ends_in_a_number(host) {
        return Ok(host.to_ascii_lowercase());
    }
    let address = ipv4(host).ok_or_else(|| "its host is not an IPv4 address".to_owned())?;
    Ok(address.to_string())
}

fn is_of_a_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '.' | '_')
}

/// Whether resolvers take a host for an IPv4 address.
fn ends_in_a_number(host: &str) -> bool {
    let last = labels(host).last().unwrap_or_default();
    let digits = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    digits || number(last).is_some()
}

/// An IPv4 address in any of the forms that resolvers read: `127.1`, `0x7f.0.0.1`, `017700000001`.
fn ipv4(host: &str) -> Option<Ipv4Addr> {
    let numbers: Vec<_> = labels(host).map(number).collect::<Option<_>>()?;
    let (last, bytes) = numbers.split_last()?;
    let room = 4_usize.checked_sub(bytes.len()).filter(|room| *room > 0)?;
    if bytes.iter().any(|byte| *byte > 0xff) || (*last >> (8 * room)) > 0 {
        return None;
    }
    let shifted = bytes.iter().zip([24, 16, 8]).map(|(byte, shift)| byte << shift);
    let address = shifted.sum::<u64>() + last;
    u32::try_from(address).ok().map(Ipv4Addr::from)
}

/// The parts of a name; the last one may end with a dot.
fn labels(host: &str) -> impl Iterator<Item = &str> {
    host.strip_suffix('.').unwrap_or(host).split('.')
}

/// A number as C writes it: decimal, octal with a leading 0, or hexadecimal with a leading 0x.
fn number(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match (lower.strip_prefix("0x"), lower.strip_prefix('0')) {
        (Some(""), _) => return Some(0),
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (&*lower, 10),
    };
    let only_digits = digits.chars().all(|digit| digit.is_digit(radix));
    only_digits.then(|| u64::from_str_radix(digits, radix).ok()).flatten()
}
