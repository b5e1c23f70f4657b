//! Content in fewer bytes. The form on the disk: four letters, then an LZ4 block
//! with its length in front. What does not get smaller stays as it is, so a
//! packed content is always shorter than what it stands for.

/// Not the beginning of any text, and of no format that we know.
const MAGIC: [u8; 4] = [0xF1, b'T', b'L', b'4'];
/// Below this the letters and lengths eat what is won.
const SMALL: usize = 256;

/// The packed form, where it is worth it.
pub(crate) fn pack(content: &[u8]) -> Option<Vec<u8>> {
    if content.len() < SMALL {
        return None;
    }
    let packed = lz4_flex::block::compress_prepend_size(content);
    let whole = packed.len() + MAGIC.len();
    if whole + whole / 8 >= content.len() {
        return None;
    }
    let mut bytes = Vec::with_capacity(whole);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&packed);
    Some(bytes)
}

/// The content again. `expected` is its length, which bounds what is made of
/// foreign bytes; `None` when they are not the packed form of so much.
pub(crate) fn unpack(bytes: &[u8], expected: u64) -> Option<Vec<u8>> {
    let packed = bytes.strip_prefix(&MAGIC)?;
    let (length, block) = packed.split_first_chunk::<4>()?;
    if u64::from(u32::from_le_bytes(*length)) != expected {
        return None;
    }
    let expected = usize::try_from(expected).ok()?;
    let content = lz4_flex::block::decompress(block, expected).ok()?;
    (content.len() == expected).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_and_is_shorter() {
        let text = "one line like another\n".repeat(500);
        let packed = pack(text.as_bytes()).unwrap();
        assert!(packed.len() < text.len() / 4);
        let back = unpack(&packed, text.len() as u64).unwrap();
        assert_eq!(back, text.as_bytes());
    }

    #[test]
    fn what_does_not_get_smaller_is_not_packed() {
        assert!(pack(b"short").is_none());
        let mut state = 1_u64;
        let noise: Vec<u8> = (0..10_000)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        assert!(pack(&noise).is_none());
    }

    #[test]
    fn a_length_that_lies_makes_nothing() {
        let packed = pack(&[7; 10_000]).unwrap();
        assert!(unpack(&packed, 9_999).is_none());
        let mut huge = packed.clone();
        huge[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(unpack(&huge, 10_000).is_none());
        assert!(unpack(&packed[..packed.len() - 3], 10_000).is_none());
    }
}
