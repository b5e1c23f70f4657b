//! Takes the keys of a request out of what its server said: an error often
//! repeats the key that it refuses, and a recording is passed around.
//!
//! Stars of the same length, so that pieces and lengths stay as they came.

use hyper::HeaderMap;

/// Shorter ones are words, and their removal would hide nothing.
const SHORTEST: usize = 6;

/// Whether a header or a parameter of this name is likely to hold a key.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "key", "token", "secret", "cookie", "password"]
        .iter()
        .any(|part| name.contains(part))
}

/// The keys of a request, from its headers and its query, the longest first.
pub(super) fn secrets(headers: &HeaderMap, path_and_query: &str) -> Vec<String> {
    let of_headers = headers
        .iter()
        .filter(|(name, _)| is_secret(name.as_str()))
        .filter_map(|(_, value)| value.to_str().ok())
        // `Bearer KEY`
        .flat_map(|value| [value, value.rsplit(' ').next().unwrap_or_default()]);
    let query = path_and_query
        .split_once('?')
        .map_or("", |(_, query)| query);
    let of_query = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .filter(|(name, _)| is_secret(name))
        .map(|(_, value)| value);
    let mut found: Vec<String> = of_headers
        .chain(of_query)
        .map(|value| value.trim().to_owned())
        .filter(|value| value.len() >= SHORTEST)
        .collect();
    found.sort_by_key(|value| std::cmp::Reverse(value.len()));
    found.dedup();
    found
}

pub(super) fn text(secrets: &[String], text: &mut String) {
    for secret in secrets {
        if text.contains(secret) {
            *text = text.replace(secret, &"*".repeat(secret.len()));
        }
    }
}

/// A key may come in two pieces, so they are looked at as one.
pub(super) fn pieces(secrets: &[String], pieces: &mut [(u64, Vec<u8>)]) {
    if secrets.is_empty() {
        return;
    }
    let mut whole: Vec<u8> = pieces
        .iter()
        .flat_map(|(_, bytes)| bytes)
        .copied()
        .collect();
    for secret in secrets {
        stars(secret.as_bytes(), &mut whole);
    }
    let mut rest = whole.as_slice();
    for (_, bytes) in pieces {
        let (mine, after) = rest.split_at(bytes.len());
        bytes.copy_from_slice(mine);
        rest = after;
    }
}

fn stars(secret: &[u8], text: &mut [u8]) {
    let Some((&first, _)) = secret.split_first() else {
        return;
    };
    let mut at = 0;
    while let Some(found) = text[at..].iter().position(|byte| *byte == first) {
        at += found;
        if text[at..].starts_with(secret) {
            text[at..at + secret.len()].fill(b'*');
            at += secret.len();
        } else {
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_taken_out_even_where_it_comes_in_two_pieces() {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", "Bearer sk-12345678".parse().unwrap());
        headers.insert("user-agent", "a-long-name".parse().unwrap());
        let secrets = secrets(&headers, "/v1/models?key=in-the-query&page=a-long-name");
        let mut said = vec![
            (1, b"a-long-name of sk-12".to_vec()),
            (2, b"345678, in-the-query".to_vec()),
        ];
        pieces(&secrets, &mut said);
        assert_eq!(said[0].1, b"a-long-name of *****");
        assert_eq!(said[1].1, b"******, ************");
    }
}
