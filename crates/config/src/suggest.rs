//! What was probably meant.

use crate::tables::NOT_YET;
use crate::{keys, models};

/// The nearest of some words, if it is near enough to be a slip.
pub(crate) fn nearest<'a>(
    wrong: &str,
    words: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let most = match fold(wrong).chars().count() {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    within(wrong, words, most)
}

/// The nearest of some words that at most so many slips part from this one.
pub(crate) fn within<'a>(
    wrong: &str,
    words: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Option<&'a str> {
    // Only the start of a hostile name is compared.
    let short: String = wrong.chars().take(64).collect();
    let wrong = fold(&short);
    words
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&wrong, &fold(word)), word))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// `baseURL`, `base-url` and `base_url` are one spelling.
fn fold(word: &str) -> String {
    word.to_ascii_lowercase().replace(['_', '-', ' '], "")
}

/// What to say of a key that is not known at this place.
pub(crate) fn for_key(path: &[&str], name: &str) -> Option<String> {
    if path.is_empty() && NOT_YET.contains(&name) {
        return Some(format!(
            "this version doesn't have `{name}` yet: remove it, or comment it out"
        ));
    }
    if let Some(home) = elsewhere(path, name) {
        return Some(home);
    }
    let near = keys::children(path);
    if let Some(word) = nearest(name, near.iter().copied().filter(|word| *word != "*")) {
        return Some(format!("did you mean `{word}`?"));
    }
    let known: Vec<&str> = near.into_iter().filter(|word| *word != "*").collect();
    (!known.is_empty()).then(|| format!("known here: {}", known.join(", ")))
}

/// A known key at a wrong place: the place where it belongs.
fn elsewhere(path: &[&str], name: &str) -> Option<String> {
    let folded = fold(name);
    let home = keys::all().iter().find(|key| {
        let segments: Vec<&str> = key.segments().collect();
        let (Some(last), depth) = (segments.last(), segments.len()) else {
            return false;
        };
        depth != path.len() + 1 && depth > 1 && fold(last) == folded
            || depth == 1 && !path.is_empty() && fold(last) == folded
    })?;
    if home.name.starts_with("providers.*.") {
        let example = home.name.replace('*', "NAME");
        return Some(format!(
            "it belongs to a provider: `{example}`, where NAME is a name of your choice"
        ));
    }
    if !home.name.contains('.') {
        let of_a_model = path.first() == Some(&"providers") && models::FIELDS.contains(&home.name);
        let or = if of_a_model {
            ", or in an entry of `models` for just one model"
        } else {
            ""
        };
        return Some(format!("`{}` belongs at the top level{or}", home.name));
    }
    Some(format!("it belongs at `{}`", home.name))
}
