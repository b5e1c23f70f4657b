//! What the name of a model says of its size. A name says what it wants: this
//! only decides how many words a model is given, never what it may do.

/// From so many billion parameters on a model follows a long prompt.
const LARGE: f64 = 15.0;

/// Families whose names carry no size, and which have only small members.
const SMALL_FAMILIES: [&str; 4] = ["phi", "smollm", "tinyllama", "stablelm"];

/// Whether the name is of a small model: one that says fewer than 15 billion
/// parameters (`qwen2.5-coder:7b`), or of a family that has no large ones.
#[must_use]
pub fn is_small(model: &str) -> bool {
    let name = model.to_ascii_lowercase();
    // The maker's name before it says nothing.
    let own = name.rsplit('/').next().unwrap_or(&name);
    let words = own.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let sizes: Vec<f64> = words.filter_map(billions).collect();
    match sizes.iter().copied().reduce(f64::max) {
        Some(largest) => largest < LARGE,
        None => {
            let family = own.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
            let end = family.find(|c: char| !c.is_ascii_alphabetic());
            SMALL_FAMILIES.contains(&&family[..end.unwrap_or(family.len())])
        }
    }
}

/// `7b`, `0.5b`, `8x7b`, `135m`; `e4b` is what a model needs that has more. How
/// many are active at a time (`a3b`) is not how many there are.
fn billions(word: &str) -> Option<f64> {
    let word = word.strip_prefix('e').unwrap_or(word);
    let (number, unit) = match word.strip_suffix('b') {
        Some(number) => (number, 1.0),
        None => (word.strip_suffix('m')?, 0.001),
    };
    let number: f64 = match number.split_once('x') {
        Some((experts, each)) => experts.parse::<f64>().ok()? * each.parse::<f64>().ok()?,
        None => number.parse().ok()?,
    };
    (number.is_finite() && number > 0.0).then_some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::is_small;

    #[test]
    fn a_name_that_says_few_billions_is_of_a_small_model() {
        for name in [
            "qwen2.5-coder:7b",
            "Qwen/Qwen2.5-Coder-14B-Instruct",
            "llama-3.2-3b-instruct-q4_k_m.gguf",
            "meta-llama/Llama-3.1-8B-Instruct",
            "deepseek-r1:1.5b",
            "gemma-3n-E4B-it",
            "smollm2-135m",
            "SmolLM2:latest",
            "phi-4-mini",
            "tinyllama",
            "mistral-nemo-12b",
        ] {
            assert!(is_small(name), "{name}");
        }
    }

    #[test]
    fn any_other_name_is_not() {
        for name in [
            "qwen3-coder-30b-a3b",
            "mixtral-8x7b",
            "mlx-community/Qwen2.5-32B-Instruct-4bit",
            "gpt-oss-20b",
            "llama-3.3-70b-versatile",
            "claude-sonnet-4-5",
            "gpt-5-mini",
            "o4-mini",
            "mock-model",
            "m",
            "b",
            "0b",
            "infb",
            "x7b",
            "dolphin-a3b",
            "microsoft/phineas",
            "",
        ] {
            assert!(!is_small(name), "{name}");
        }
    }
}
