//! Which files may be edited as bytes, and what may be written into them. An
//! edit keeps every byte around it, so any encoding that contains ASCII works;
//! what would leave two encodings in one file is refused.

/// How much of a file is looked at for wide characters.
const SAMPLE: usize = 4096;

/// Why this text cannot be put into this file, as the rest of a sentence that
/// begins with the file's name.
pub(crate) fn refusal(content: &[u8], new: &str) -> Option<String> {
    if is_wide(content) {
        return Some(String::from(
            "is UTF-16, which `edit` can't change; convert it with `bash` (iconv), edit it, and \
             convert it back",
        ));
    }
    if new.is_ascii() || std::str::from_utf8(content).is_ok() {
        return None;
    }
    if new.contains('\u{fffd}') {
        return Some(String::from(
            "is not UTF-8, and `new` contains U+FFFD (�), which marks bytes that can't be shown; \
             choose `old` and `new` without it",
        ));
    }
    Some(String::from(
        "is not UTF-8, and `new` has characters outside ASCII: the file would mix two encodings; \
         keep `new` in ASCII, or convert the file with `bash` (iconv) first",
    ))
}

/// UTF-16, by its mark or by every second byte being zero.
fn is_wide(content: &[u8]) -> bool {
    if content.starts_with(b"\xff\xfe") || content.starts_with(b"\xfe\xff") {
        return true;
    }
    let sample = &content[..content.len().min(SAMPLE)];
    if sample.len() < 16 {
        return false;
    }
    let zeros = |odd: usize| {
        sample
            .iter()
            .skip(odd)
            .step_by(2)
            .filter(|b| **b == 0)
            .count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    let many = sample.len() / 4;
    (even > many && odd == 0) || (odd > many && even == 0)
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn utf16_is_refused_with_and_without_its_mark() {
        let wide: Vec<u8> = "hello, world"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(refusal(&wide, "x").is_some());
        assert!(refusal(b"\xff\xfeh\0", "x").is_some());
        assert!(refusal(b"plain text that is long enough", "x").is_none());
    }

    #[test]
    fn only_ascii_goes_into_a_file_that_is_not_utf8() {
        assert!(refusal(b"caf\xe9", "tea").is_none());
        assert!(refusal(b"caf\xe9", "th\u{e9}").is_some());
        assert!(refusal("café".as_bytes(), "thé").is_none());
    }
}
