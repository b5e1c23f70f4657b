//! Server-sent events: the vectors of the standard, and what servers make of it.

use tenon_model::sse::{MAX_EVENT_BYTES, SseDecoder, SseError, SseEvent};

fn events(pieces: &[&[u8]]) -> Vec<(String, String)> {
    let mut decoder = SseDecoder::new();
    let mut all = Vec::new();
    let mut sink = |event: SseEvent| {
        all.push((
            event.name,
            String::from_utf8_lossy(&event.data).into_owned(),
        ));
    };
    for piece in pieces {
        decoder.push(piece, &mut sink).expect("within the limits");
    }
    decoder.finish(&mut sink).expect("within the limits");
    all
}

fn data(body: &str) -> Vec<String> {
    events(&[body.as_bytes()])
        .into_iter()
        .map(|(_, data)| data)
        .collect()
}

#[test]
fn lines_end_in_every_way() {
    for body in [
        "data: a\n\ndata: b\n\n",
        "data: a\r\n\r\ndata: b\r\n\r\n",
        "data: a\r\rdata: b\r\r",
        "data: a\n\r\ndata: b\r\n\n",
        "\u{feff}data: a\n\ndata:b",
        "data:a\n\n\n\ndata:b\n",
        ": comment\ndata: a\n: more\n\nid: 7\nretry: 10\nunknown: x\nunknown\ndata: b\n\n",
    ] {
        assert_eq!(data(body), ["a", "b"], "{body:?}");
        let bytes: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
        assert_eq!(events(&bytes), events(&[body.as_bytes()]), "{body:?}");
    }
}

#[test]
fn data_of_several_lines_is_joined() {
    assert_eq!(data("data: a\ndata\ndata:  b\n\n"), ["a\n\n b"]);
    assert_eq!(data("data\n\n"), [""]);
    assert_eq!(data("event: x\n\n"), Vec::<String>::new());
}

#[test]
fn names_belong_to_one_event() {
    assert_eq!(
        events(&[b"event: ping\ndata: 1\n\ndata: 2\n\n"]),
        [("ping".into(), "1".into()), (String::new(), "2".into())]
    );
}

#[test]
fn a_byte_order_mark_is_only_skipped_at_the_start() {
    assert_eq!(data("data: a\n\n\u{feff}data: b\n\n"), ["a"]);
}

#[test]
fn an_event_without_end_is_refused_before_it_fills_the_memory() {
    let piece = vec![b'x'; 1024 * 1024];
    for start in [b"data: ".as_slice(), b": "] {
        let mut decoder = SseDecoder::new();
        decoder.push(start, &mut |_| {}).expect("small");
        let fed = (0..64)
            .take_while(|_| decoder.push(&piece, &mut |_| {}).is_ok())
            .count();
        assert!(fed < MAX_EVENT_BYTES / piece.len() + 1, "fed {fed} MiB");
    }
    let mut decoder = SseDecoder::new();
    let line = [b"data: ".as_slice(), &piece, b"\n"].concat();
    let refused = (0..64).find_map(|_| decoder.push(&line, &mut |_| {}).err());
    assert_eq!(refused, Some(SseError::TooLarge));
}
