//! How often a client broke the promise to prompt caches: requests that do not
//! begin with the one before. Measured afterwards, from the record.

use crate::api::RequestKind;
use crate::record::RecordedRequest;
use crate::wire;

/// A request that begins with none of the two before it. Two, because a question
/// on the side (for a summary, a title) continues a conversation without being
/// continued itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixBreak {
    /// The index among the requests.
    pub index: usize,
    /// What is different from the request just before.
    pub difference: String,
}

/// The breaks among requests for an answer, in their order.
#[must_use]
pub fn prefix_breaks(requests: &[RecordedRequest]) -> Vec<PrefixBreak> {
    let mut breaks = Vec::new();
    let mut before: Vec<&RecordedRequest> = Vec::new();
    for (index, request) in requests.iter().enumerate() {
        if matches!(request.kind, RequestKind::Other | RequestKind::CountTokens) {
            continue;
        }
        let compared: Vec<String> = before
            .iter()
            .rev()
            .take(2)
            .map(|earlier| compare(earlier, request).err())
            .map_while(|difference| difference)
            .collect();
        let looked_at = before.len().min(2);
        if looked_at > 0
            && compared.len() == looked_at
            && let Some(difference) = compared.into_iter().next()
        {
            breaks.push(PrefixBreak { index, difference });
        }
        before.push(request);
    }
    breaks
}

fn compare(before: &RecordedRequest, next: &RecordedRequest) -> Result<(), String> {
    if before.kind != next.kind {
        return Err("It is of another format.".to_owned());
    }
    match next.kind {
        RequestKind::Messages => wire::messages::validate_prefix(&before.body, &next.body),
        RequestKind::Responses => wire::responses::validate_prefix(&before.body, &next.body),
        _ => wire::chat::validate_prefix(&before.body, &next.body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use hyper::HeaderMap;
    use serde_json::json;

    fn request(texts: &[&str]) -> RecordedRequest {
        let messages: Vec<_> = texts
            .iter()
            .map(|text| json!({"role": "user", "content": text}))
            .collect();
        RecordedRequest {
            path: "/v1/chat/completions".into(),
            kind: RequestKind::Chat,
            headers: HeaderMap::new(),
            body: Bytes::from(json!({"messages": messages}).to_string()),
            violations: Vec::new(),
        }
    }

    #[test]
    fn a_question_on_the_side_is_no_break_and_another_beginning_is_one() {
        let requests = [
            request(&["a"]),
            request(&["a", "b"]),
            request(&["a", "b", "summarise"]),
            request(&["a", "b", "c"]),
            request(&["short", "c"]),
            request(&["short", "c", "d"]),
        ];
        let found = prefix_breaks(&requests);
        let places: Vec<usize> = found.iter().map(|found| found.index).collect();
        assert_eq!(places, [4]);
        assert!(found[0].difference.contains("messages[0]"), "{found:?}");
    }
}
