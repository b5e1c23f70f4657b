//! What is publicly known of hosted models: window, longest answer, eyes,
//! prices. A small table that ages: the user's word and the server's come
//! before it, and what it does not know is not guessed from a similar name.
//!
//! Prices are dollars for a million tokens, as published in November 2026, for
//! prompts of ordinary length and without discounts. The window is what may be
//! sent, where a service gives it apart from the answer.

use crate::{Prices, Vision};

/// What the table says of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    pub window: u64,
    pub max_output: Option<u64>,
    pub vision: Vision,
    pub prices: Option<Prices>,
    /// Whose model at whose prices: the name of that service's preset.
    pub maker: &'static str,
    /// Whether the id itself named the maker, as routers write it.
    pub prefixed: bool,
}

/// Looks a model up by the id that a server gives it: with the name of its
/// maker before it, and with a date, `latest` or `preview` behind it. The
/// longest entry that fits wins.
#[must_use]
pub fn known(model: &str) -> Option<Known> {
    // Nobody's id is longer; a hostile one is not worth the time.
    if model.len() > 200 {
        return None;
    }
    let folded = model.to_ascii_lowercase();
    // A router's variant (`:free`, `:nitro`) has other prices.
    let (name, variant) = match folded.split_once(':') {
        Some((name, _)) => (name, Variant::Priced),
        None => (folded.as_str(), Variant::Plain),
    };
    let (row, prefixed) = match find(None, name) {
        Some(row) => (row, false),
        None => {
            let (maker, bare) = split_maker(name)?;
            (find(Some(maker), bare)?, true)
        }
    };
    Some(Known {
        window: row.window,
        max_output: (row.output > 0).then_some(row.output),
        vision: row.vision,
        prices: (variant == Variant::Plain).then(|| row.price()),
        maker: row.maker,
        prefixed,
    })
}

fn find(maker: Option<&str>, id: &str) -> Option<&'static Row> {
    let longest = |id: &str| {
        ROWS.iter()
            .filter(|row| maker.is_none_or(|maker| row.maker == maker) && fits(row.id, id))
            .max_by_key(|row| row.id.len())
    };
    // Routers write `claude-sonnet-4.5` for `claude-sonnet-4-5`.
    longest(id).or_else(|| longest(&id.replace('.', "-")))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    Plain,
    /// The maker's prices do not hold.
    Priced,
}

/// `anthropic/claude-…`; also `groq/openai/gpt-oss-…`, whose maker for prices is
/// the one who hosts it.
fn split_maker(name: &str) -> Option<(&'static str, &str)> {
    let (first, rest) = name.split_once('/')?;
    let (_, maker) = MAKERS.iter().find(|(prefix, _)| *prefix == first)?;
    Some((maker, rest))
}

/// How routers and proxies write the makers.
const MAKERS: &[(&str, &str)] = &[
    ("openai", "openai"),
    ("anthropic", "anthropic"),
    ("google", "gemini"),
    ("gemini", "gemini"),
    ("deepseek", "deepseek"),
    ("qwen", "dashscope"),
    ("dashscope", "dashscope"),
    ("mistral", "mistral"),
    ("mistralai", "mistral"),
    ("x-ai", "xai"),
    ("xai", "xai"),
    ("groq", "groq"),
];

/// Whether an id is this entry, perhaps with a date or a stage behind it. A
/// different word behind it is a different model.
fn fits(entry: &str, id: &str) -> bool {
    let Some(rest) = id.strip_prefix(entry) else {
        return false;
    };
    let Some(tail) = rest.strip_prefix(['-', '@']) else {
        return rest.is_empty();
    };
    let mut is_dated = false;
    tail.split('-').all(|part| {
        let number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        // A single digit is a version; months and days follow a year.
        let date = number && (part.len() >= 3 || (is_dated && part.len() == 2));
        is_dated |= date;
        date || ["latest", "preview", "exp"].contains(&part)
    })
}

struct Row {
    maker: &'static str,
    id: &'static str,
    window: u64,
    /// 0 where nobody says.
    output: u64,
    vision: Vision,
    /// In, out, and in from the cache.
    price: (f64, f64, f64),
    /// Written into the cache; 0 where that costs nothing of its own.
    write: f64,
}

impl Row {
    fn price(&self) -> Prices {
        let (input, output, cached) = self.price;
        let own = |price: f64| (price > 0.0).then_some(price);
        Prices {
            input,
            output,
            cached: own(cached),
            cache_write: own(self.write),
        }
    }

    /// Its eyes are known to be closed.
    const fn blind(mut self) -> Self {
        self.vision = Vision::No;
        self
    }

    const fn writes(mut self, price: f64) -> Self {
        self.write = price;
        self
    }
}

const fn row(
    maker: &'static str,
    id: &'static str,
    window: u64,
    output: u64,
    price: (f64, f64, f64),
) -> Row {
    Row {
        maker,
        id,
        window,
        output,
        vision: Vision::Yes,
        price,
        write: 0.0,
    }
}

#[rustfmt::skip]
static ROWS: &[Row] = &[
    row("openai", "gpt-3.5-turbo", 16_385, 4_096, (0.5, 1.5, 0.0)).blind(),
    row("openai", "gpt-4o", 128_000, 16_384, (2.5, 10.0, 1.25)),
    row("openai", "gpt-4o-2024-05-13", 128_000, 4_096, (5.0, 15.0, 0.0)),
    row("openai", "gpt-4o-mini", 128_000, 16_384, (0.15, 0.6, 0.075)),
    row("openai", "gpt-4.1", 1_047_576, 32_768, (2.0, 8.0, 0.5)),
    row("openai", "gpt-4.1-mini", 1_047_576, 32_768, (0.4, 1.6, 0.1)),
    row("openai", "gpt-4.1-nano", 1_047_576, 32_768, (0.1, 0.4, 0.025)),
    row("openai", "o3", 200_000, 100_000, (2.0, 8.0, 0.5)),
    row("openai", "o3-mini", 200_000, 100_000, (1.1, 4.4, 0.55)).blind(),
    row("openai", "o4-mini", 200_000, 100_000, (1.1, 4.4, 0.275)),
    row("openai", "gpt-5", 272_000, 128_000, (1.25, 10.0, 0.125)),
    row("openai", "gpt-5-mini", 272_000, 128_000, (0.25, 2.0, 0.025)),
    row("openai", "gpt-5-nano", 272_000, 128_000, (0.05, 0.4, 0.005)),
    row("openai", "gpt-5-codex", 272_000, 128_000, (1.25, 10.0, 0.125)),
    row("openai", "gpt-5.1", 272_000, 128_000, (1.25, 10.0, 0.125)),
    row("openai", "gpt-5.1-codex", 400_000, 128_000, (1.25, 10.0, 0.125)),
    row("openai", "gpt-5.1-codex-max", 400_000, 128_000, (1.25, 10.0, 0.125)),
    row("openai", "gpt-5.1-codex-mini", 400_000, 128_000, (0.25, 2.0, 0.025)),
    row("openai", "gpt-5.2", 272_000, 128_000, (1.75, 14.0, 0.175)),
    row("openai", "gpt-5.2-codex", 272_000, 128_000, (1.75, 14.0, 0.175)),
    row("openai", "gpt-5.3-codex", 272_000, 128_000, (1.75, 14.0, 0.175)),
    row("openai", "gpt-5.4", 1_050_000, 128_000, (2.5, 15.0, 0.25)),
    row("openai", "gpt-5.4-mini", 272_000, 128_000, (0.75, 4.5, 0.075)),
    row("openai", "gpt-5.4-nano", 272_000, 128_000, (0.2, 1.25, 0.02)),
    row("openai", "gpt-5.5", 1_050_000, 128_000, (5.0, 30.0, 0.5)),
    row("openai", "gpt-5.6", 922_000, 128_000, (4.0, 20.0, 0.4)).writes(5.0),
    row("openai", "gpt-5.6-luna", 922_000, 128_000, (0.2, 1.2, 0.02)).writes(0.25),
    row("openai", "gpt-6-sol", 922_000, 128_000, (2.0, 10.0, 0.2)).writes(2.5),
    row("openai", "gpt-6-luna", 922_000, 128_000, (0.1, 0.5, 0.01)).writes(0.125),
    row("openai", "gpt-6-astra", 922_000, 128_000, (10.0, 50.0, 1.0)).writes(12.5),

    row("anthropic", "claude-haiku-4-5", 200_000, 64_000, (1.0, 5.0, 0.1)).writes(1.25),
    row("anthropic", "claude-sonnet-4-5", 200_000, 64_000, (3.0, 15.0, 0.3)).writes(3.75),
    row("anthropic", "claude-sonnet-4-6", 1_000_000, 128_000, (3.0, 15.0, 0.3)).writes(3.75),
    row("anthropic", "claude-sonnet-5", 1_000_000, 128_000, (2.0, 10.0, 0.2)).writes(2.5),
    row("anthropic", "claude-sonnet-5-5", 1_000_000, 128_000, (2.0, 10.0, 0.1)).writes(2.5),
    row("anthropic", "claude-opus-4-5", 200_000, 64_000, (5.0, 25.0, 0.5)).writes(6.25),
    row("anthropic", "claude-opus-4-6", 1_000_000, 128_000, (5.0, 25.0, 0.5)).writes(6.25),
    row("anthropic", "claude-opus-4-7", 1_000_000, 128_000, (5.0, 25.0, 0.5)).writes(6.25),
    row("anthropic", "claude-opus-4-8", 1_000_000, 128_000, (5.0, 25.0, 0.5)).writes(6.25),
    row("anthropic", "claude-opus-5", 1_000_000, 128_000, (5.0, 25.0, 0.5)).writes(6.25),
    row("anthropic", "claude-opus-5-5", 1_000_000, 128_000, (4.0, 20.0, 0.2)).writes(5.0),
    row("anthropic", "claude-haiku-5-5", 1_000_000, 128_000, (0.1, 0.5, 0.01)).writes(0.125),

    row("gemini", "gemini-2.5-pro", 1_048_576, 65_536, (1.25, 10.0, 0.125)),
    row("gemini", "gemini-2.5-flash", 1_048_576, 65_536, (0.3, 2.5, 0.03)),
    row("gemini", "gemini-2.5-flash-lite", 1_048_576, 65_536, (0.1, 0.4, 0.01)),
    row("gemini", "gemini-3-flash", 1_048_576, 65_536, (0.5, 3.0, 0.05)),
    row("gemini", "gemini-3.1-pro", 1_048_576, 65_536, (2.0, 12.0, 0.2)),
    row("gemini", "gemini-3.1-flash-lite", 1_048_576, 65_536, (0.25, 1.5, 0.025)),
    row("gemini", "gemini-3.5-flash", 1_048_576, 65_536, (1.5, 9.0, 0.15)),
    row("gemini", "gemini-3.5-flash-lite", 1_048_576, 65_536, (0.3, 2.5, 0.03)),
    row("gemini", "gemini-3.8-flash", 1_048_576, 65_536, (0.75, 3.75, 0.075)),

    row("deepseek", "deepseek-chat", 131_072, 8_192, (0.28, 0.42, 0.028)).blind(),
    row("deepseek", "deepseek-reasoner", 131_072, 65_536, (0.28, 0.42, 0.028)).blind(),
    row("deepseek", "deepseek-v4-flash", 1_000_000, 393_216, (0.3, 1.2, 0.006)),
    row("deepseek", "deepseek-v4-pro", 1_000_000, 393_216, (1.32, 3.96, 0.044)).blind(),

    row("dashscope", "qwen-max", 30_720, 8_192, (1.6, 6.4, 0.0)).blind(),
    row("dashscope", "qwen-plus", 129_024, 16_384, (0.4, 1.2, 0.0)).blind(),
    row("dashscope", "qwen3-next-80b-a3b-instruct", 262_144, 65_536, (0.15, 1.2, 0.0)).blind(),
    row("dashscope", "qwen3.7-max", 991_808, 65_536, (2.5, 7.5, 0.5)).blind().writes(3.125),
    row("dashscope", "qwen3.8-max", 991_808, 131_072, (2.0, 6.0, 0.25)),
    row("dashscope", "qwen3.8-flash", 991_808, 131_072, (0.15, 0.47, 0.016)).writes(0.2),

    row("mistral", "mistral-large", 262_144, 262_144, (0.5, 1.5, 0.05)),
    row("mistral", "mistral-medium", 262_144, 262_144, (1.5, 7.5, 0.15)),
    row("mistral", "mistral-small", 262_144, 262_144, (0.15, 0.6, 0.015)),
    row("mistral", "devstral-medium", 256_000, 256_000, (0.4, 2.0, 0.04)).blind(),
    row("mistral", "devstral-small", 256_000, 256_000, (0.1, 0.3, 0.01)).blind(),
    row("mistral", "codestral", 128_000, 128_000, (0.3, 0.9, 0.03)).blind(),

    row("xai", "grok-4.3", 1_000_000, 1_000_000, (1.25, 2.5, 0.2)),
    row("xai", "grok-4.5", 500_000, 500_000, (2.0, 6.0, 0.3)),
    row("xai", "grok-4.7", 500_000, 500_000, (2.0, 6.0, 0.5)),
    row("xai", "grok-code-fast-1", 256_000, 256_000, (1.0, 2.0, 0.2)),

    row("groq", "openai/gpt-oss-120b", 131_072, 65_536, (0.15, 0.6, 0.075)).blind(),
    row("groq", "openai/gpt-oss-20b", 131_072, 65_536, (0.075, 0.3, 0.0375)).blind(),
    row("groq", "qwen/qwen3.8-27b", 131_072, 16_384, (0.8, 4.0, 0.0)),
];
