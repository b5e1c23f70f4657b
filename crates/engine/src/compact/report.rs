//! What people are told: that it was made shorter, or that it cannot be, with the
//! numbers of what fills the window.

use crate::compact::text::figure;
use crate::compact::view::View;

/// What fills a request, by part, in estimated tokens. The largest thing of the
/// conversation is named, because that is what can be done something about.
pub(crate) fn filling(view: &View) -> String {
    let mut parts = vec![
        format!("system prompt ~{}", figure(view.system)),
        format!("tools ~{}", figure(view.tools)),
    ];
    if view.summary > 0 {
        parts.push(format!("summary ~{}", figure(view.summary)));
    }
    let largest = view
        .items
        .iter()
        .enumerate()
        .max_by_key(|(index, item)| (item.tokens, *index));
    let history = view.tokens_from(0);
    if let Some((index, item)) = largest {
        let is_last = index + 1 == view.items.len();
        let which = match (item.result(), is_last) {
            (Some((name, _)), true) => format!("last result ({name})"),
            (Some((name, _)), false) => format!("largest result ({name})"),
            (None, true) => String::from("last message"),
            (None, false) => String::from("largest message"),
        };
        parts.push(format!("{which} ~{}", figure(item.tokens)));
        let rest = history - item.tokens;
        if rest > 0 {
            parts.push(format!("other messages ~{}", figure(rest)));
        }
    }
    format!("What fills it: {} tokens.", parts.join(", "))
}

/// What to do about it, by what is the largest part.
pub(crate) fn advice(view: &View, limit: Option<u64>) -> String {
    let fixed = view.fixed();
    if limit.is_some_and(|limit| fixed.saturating_mul(10) > limit.saturating_mul(7)) {
        return String::from(
            "The instructions and the tools alone fill the window: serve the model with a larger one, shorten AGENTS.md, or give the agent fewer tools.",
        );
    }
    String::from(
        "Start a new session with /new, make the prompt shorter (let the model read files in parts), or serve the model with a larger window and set `context_window` to it.",
    )
}

/// What is said of rules that found no room beside the summary.
pub(crate) fn untold(paths: &[String]) -> Option<String> {
    (!paths.is_empty()).then(|| {
        format!(
            "There is no room beside the summary for the edited rules of {}. The model works without them until your next prompt sends them again.",
            paths.join(", ")
        )
    })
}
