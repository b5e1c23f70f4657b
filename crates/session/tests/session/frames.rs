//! The file of what streams: cheap, and empty as soon as it can be.

use crate::build::{Home, run};
use std::fs;
use tenon_session::{Frame, FrameOf};
use tenon_vocab::{CallId, TextChannel, ToolStream};

fn message() -> Frame {
    Frame::Message {
        run: run(1),
        channel: TextChannel::Text,
        text: String::from("piece"),
    }
}

fn output(call: &str, text: &str) -> Frame {
    Frame::Tool {
        run: run(1),
        call: CallId::new(call),
        name: String::from("bash"),
        stream: ToolStream::Stdout,
        text: text.to_owned(),
    }
}

#[test]
fn the_file_is_emptied_when_the_last_stream_is_over() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let partial = writer.log.folder().unwrap().join("partial");
    let of = |call: &str| FrameOf::Tool(CallId::new(call));
    writer.log.clear_frames(&FrameOf::Message).unwrap();
    assert!(!partial.exists(), "nothing was streamed, nothing is made");
    let length = || fs::metadata(&partial).unwrap().len();
    writer.log.frame(&message()).unwrap();
    writer.log.clear_frames(&FrameOf::Message).unwrap();
    assert_eq!(length(), 0);
    writer.log.frame(&output("a", "1")).unwrap();
    writer.log.frame(&output("b", "2")).unwrap();
    writer.log.clear_frames(&of("a")).unwrap();
    assert!(length() > 0, "the other stream goes on");
    writer.log.clear_frames(&of("unknown")).unwrap();
    assert!(length() > 0);
    writer.log.clear_frames(&of("b")).unwrap();
    assert_eq!(length(), 0);
    writer.log.frame(&message()).unwrap();
    assert!(length() > 0, "and it is written to again");
}

#[test]
fn endless_output_does_not_fill_the_disk_and_text_still_gets_in() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let partial = writer.log.folder().unwrap().join("partial");
    let block = "y\n".repeat(32 * 1024);
    for _ in 0..200 {
        writer.log.frame(&output("a", &block)).unwrap();
    }
    let length = fs::metadata(&partial).unwrap().len();
    assert!(length < 6 * 1024 * 1024, "{length}");
    writer.log.frame(&message()).unwrap();
    assert!(fs::metadata(&partial).unwrap().len() > length);
}
