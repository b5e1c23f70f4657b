//! What is known of a model before anybody asked its server: the user's word,
//! then the catalogue's.
//!
//! The catalogue is about hosted models. A server of this machine may give any
//! name to anything, so nothing of it is believed there, and least of all a
//! price.

use tenon_config::ResolvedProvider;
use tenon_model::{Prices, Reach, Vision, Window, WindowSource, known, preset};

#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    pub window: Option<Window>,
    pub vision: Vision,
    pub prices: Option<Prices>,
}

/// `window` is what the user says of it.
pub fn facts(provider: &ResolvedProvider, model: &str, window: Option<u64>) -> Facts {
    let profile = provider.profile(model);
    let listed = match provider.reach {
        Reach::Local => None,
        Reach::Remote => known(model),
    };
    let window = match (window, listed) {
        (Some(tokens), _) => Some(Window {
            tokens,
            source: WindowSource::User,
        }),
        (None, Some(listed)) => Some(Window {
            tokens: listed.window,
            source: WindowSource::Catalogue,
        }),
        (None, None) => None,
    };
    let seen = profile
        .and_then(|profile| profile.vision)
        .or(provider.vision);
    Facts {
        window,
        vision: match seen {
            Some(true) => Vision::Yes,
            Some(false) => Vision::No,
            None => listed.map_or(Vision::Unknown, |listed| listed.vision),
        },
        prices: profile
            .and_then(|profile| profile.prices)
            .or(provider.prices)
            .or_else(|| {
                let listed = listed?;
                let holds = listed.prefixed || sells(provider, listed.maker);
                listed
                    .prices
                    .filter(|_| holds && !is_subscription(provider))
            }),
    }
}

/// Whether requests go to the maker itself: by its preset, at its own address.
/// China's prices of dashscope are not those of the table.
fn sells(provider: &ResolvedProvider, maker: &str) -> bool {
    let Some(preset) = provider.preset.and_then(preset) else {
        return false;
    };
    let sold = match preset.name {
        "dashscope" => return false,
        "dashscope-intl" | "dashscope-us" => "dashscope",
        name => name,
    };
    sold == maker && preset.base_url == Some(provider.base_url.as_str())
}

/// Its tokens are paid by the month.
fn is_subscription(provider: &ResolvedProvider) -> bool {
    provider.preset == Some("codex")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_config::{Choice, Env, Paths, ProjectTrust, Sources, load, resolve};

    fn provider(name: &str, config: &str) -> ResolvedProvider {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("tenon.jsonc"), config).unwrap();
        let path = home.path().to_string_lossy().into_owned();
        let env: Env = [(String::from("TENON_HOME"), path)].into_iter().collect();
        let loaded = load(&Sources {
            paths: Paths::from_env(&env).unwrap(),
            root: home.path().to_owned(),
            trust: ProjectTrust::Untrusted,
            env,
            extra: None,
            flags: Vec::new(),
        })
        .unwrap();
        let choice = Choice {
            provider: Some(name.to_owned()),
            model: None,
        };
        resolve(&loaded, &choice).unwrap().provider.unwrap()
    }

    fn price(provider: &ResolvedProvider, model: &str) -> Option<f64> {
        let prices = facts(provider, model, None).prices?;
        Some(prices.input)
    }

    #[test]
    fn the_catalogues_price_holds_at_the_makers_own_address_only() {
        let openai = provider("openai", "{}");
        assert_eq!(price(&openai, "gpt-4o"), Some(2.5));
        assert_eq!(price(&openai, "claude-sonnet-4-5"), None);
        assert_eq!(
            price(&provider("anthropic", "{}"), "claude-sonnet-4-5"),
            Some(3.0)
        );
        let proxy = r#"{"providers": {"openai": {"base_url": "https://gate.example/v1"}}}"#;
        assert_eq!(price(&provider("openai", proxy), "gpt-4o"), None);
        let router = provider("openrouter", "{}");
        assert_eq!(price(&router, "anthropic/claude-sonnet-4.5"), Some(3.0));
        assert_eq!(price(&router, "anthropic/claude-sonnet-4.5:free"), None);
        assert_eq!(price(&router, "claude-sonnet-4-5"), None);
        let groq = provider("groq", "{}");
        assert_eq!(price(&groq, "openai/gpt-oss-120b"), Some(0.15));
        assert_eq!(price(&router, "openai/gpt-oss-120b"), None);
        assert_eq!(price(&provider("dashscope", "{}"), "qwen-plus"), None);
        assert_eq!(
            price(&provider("dashscope-us", "{}"), "qwen-plus"),
            Some(0.4)
        );
        assert_eq!(price(&provider("codex", "{}"), "gpt-5"), None);
    }

    #[test]
    fn a_local_server_with_a_famous_name_costs_nothing_and_is_not_believed_larger() {
        for url in [
            "http://localhost:8000/v1",
            "http://10.1.2.3/v1",
            "http://box:1/v1",
            "http://[::ffff:127.0.0.1]:8000/v1",
            "http://0x7f.1/v1",
        ] {
            let config = format!(r#"{{"providers": {{"p": {{"base_url": "{url}"}}}}}}"#);
            for model in ["gpt-4o", "openai/gpt-4o"] {
                let found = facts(&provider("p", &config), model, None);
                assert_eq!(found.prices, None, "{url}");
                assert_eq!((found.window, found.vision), (None, Vision::Unknown));
            }
        }
    }

    #[test]
    fn the_users_word_comes_first() {
        let config = r#"{"providers": {"openai": {"vision": true, "prices": {"input": 9, "output": 9}, "models": [
            {"id": "o3-mini", "vision": false, "prices": {"input": 1, "output": 1}}]}}}"#;
        let openai = provider("openai", config);
        assert_eq!(price(&openai, "o3-mini"), Some(1.0));
        assert_eq!(price(&openai, "gpt-4o"), Some(9.0));
        let window = |user| facts(&openai, "gpt-4o", user).window.unwrap();
        assert_eq!(window(None).source, WindowSource::Catalogue);
        assert_eq!(window(None).tokens, 128_000);
        let user = window(Some(32_768));
        assert_eq!((user.tokens, user.source), (32_768, WindowSource::User));
        assert_eq!(facts(&openai, "o3-mini", None).vision, Vision::No);
        assert_eq!(facts(&openai, "unheard-of", None).vision, Vision::Yes);
    }
}
