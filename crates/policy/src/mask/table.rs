//! The table of what is masked. To add a kind that says by its prefix what it is:
//! one line here and one in the corpus of the tests.

/// The letters that a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    Alphanumeric,
    /// Capitals and digits.
    Upper,
    /// In lower case.
    Hex,
    /// Letters, digits, `_`.
    Word,
    /// Letters, digits, `_`, `-`.
    UrlSafe,
    /// The same and `.`.
    Dotted,
    Base64,
    /// Letters, digits, `/`.
    Path,
}

/// What the rest after the prefix must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Not one letter over and over, no placeholder, not words with dashes: else
    /// the prefix is proof enough.
    Own,
    /// Drawn by lot, or too long for a word and no name: the prefix occurs in ordinary text.
    Random,
}

/// What the marker stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    Whole,
    /// Only what follows the prefix, which may stand anywhere.
    Rest,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) name: &'static str,
    pub(super) prefix: &'static str,
    pub(super) alphabet: Alphabet,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) look: Look,
    pub(super) cover: Cover,
}

const fn token(
    name: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    least: usize,
    most: usize,
) -> Token {
    Token {
        name,
        prefix,
        alphabet,
        least,
        most,
        look: Look::Own,
        cover: Cover::Whole,
    }
}

impl Token {
    const fn random(mut self) -> Self {
        self.look = Look::Random;
        self
    }

    const fn rest(mut self) -> Self {
        self.cover = Cover::Rest;
        self
    }
}

use Alphabet::{Alphanumeric, Base64, Dotted, Hex, Path, Upper, UrlSafe, Word};

#[rustfmt::skip]
pub(super) static TOKENS: &[Token] = &[
    // Clouds
    token("aws-key", "AKIA", Upper, 16, 16),
    token("aws-key", "ASIA", Upper, 16, 16),
    token("aws-key", "ABIA", Upper, 16, 16),
    token("google-key", "AIza", UrlSafe, 35, 35),
    token("google-secret", "GOCSPX-", UrlSafe, 20, 60),
    token("google-token", "ya29.", Dotted, 30, 2048),
    token("digitalocean-token", "dop_v1_", Hex, 64, 64),
    token("digitalocean-token", "doo_v1_", Hex, 64, 64),
    token("databricks-token", "dapi", Hex, 32, 32),
    token("vault-token", "hvs.", UrlSafe, 24, 512),
    token("supabase-key", "sbp_", Hex, 40, 40),
    // Code hosts and registries
    token("github-token", "ghp_", Alphanumeric, 30, 255),
    token("github-token", "gho_", Alphanumeric, 30, 255),
    token("github-token", "ghu_", Alphanumeric, 30, 255),
    token("github-token", "ghs_", Alphanumeric, 30, 255),
    token("github-token", "ghr_", Alphanumeric, 30, 255),
    token("github-token", "github_pat_", Word, 40, 255),
    token("gitlab-token", "glpat-", Dotted, 20, 300),
    token("gitlab-token", "gldt-", Dotted, 20, 300),
    token("gitlab-token", "glrt-", Dotted, 20, 300),
    token("gitlab-token", "glcbt-", Dotted, 20, 300),
    token("gitlab-token", "glptt-", Dotted, 20, 300),
    token("npm-token", "npm_", Alphanumeric, 36, 36),
    token("pypi-token", "pypi-AgE", UrlSafe, 50, 1024),
    token("docker-token", "dckr_pat_", UrlSafe, 20, 64),
    // Models
    token("openai-key", "sk-", UrlSafe, 24, 255).random(),
    token("openai-key", "sk-proj-", UrlSafe, 32, 255).random(),
    token("anthropic-key", "sk-ant-", UrlSafe, 32, 255).random(),
    token("openrouter-key", "sk-or-", UrlSafe, 32, 255).random(),
    token("huggingface-token", "hf_", Alphanumeric, 30, 48),
    token("groq-key", "gsk_", Alphanumeric, 40, 64),
    token("nvidia-key", "nvapi-", UrlSafe, 40, 100).random(),
    token("xai-key", "xai-", Alphanumeric, 60, 100),
    token("perplexity-key", "pplx-", Alphanumeric, 40, 64),
    token("replicate-token", "r8_", Alphanumeric, 37, 40),
    // Messages, payments, shops
    token("slack-token", "xoxa-", UrlSafe, 20, 300),
    token("slack-token", "xoxb-", UrlSafe, 20, 300),
    token("slack-token", "xoxc-", UrlSafe, 20, 300),
    token("slack-token", "xoxe-", UrlSafe, 20, 300),
    token("slack-token", "xoxp-", UrlSafe, 20, 300),
    token("slack-token", "xoxr-", UrlSafe, 20, 300),
    token("slack-token", "xoxs-", UrlSafe, 20, 300),
    token("slack-token", "xapp-", UrlSafe, 20, 300),
    token("slack-webhook", "hooks.slack.com/services/", Path, 20, 120).rest(),
    token("stripe-key", "sk_live_", Alphanumeric, 16, 255),
    token("stripe-key", "rk_live_", Alphanumeric, 16, 255),
    token("stripe-secret", "whsec_", Base64, 24, 100),
    token("sendgrid-key", "SG.", Dotted, 60, 80),
    token("shopify-token", "shpat_", Hex, 32, 32),
    token("linear-key", "lin_api_", Alphanumeric, 32, 64),
    token("age-key", "AGE-SECRET-KEY-1", Upper, 58, 58),
];

/// The last word of a name whose value may be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Keyword {
    pub(super) name: &'static str,
    /// In lower case.
    pub(super) word: &'static str,
    pub(super) value: Secret,
}

/// What the value after a keyword must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secret {
    /// Drawn by lot, at least so long.
    Random(usize),
    /// After `Bearer`, which needs no sign in between.
    Bearer,
    /// `user:password` in base64, after `Basic`.
    Basic,
    /// The same as the value of `"auth"`, as Docker keeps it.
    Docker,
}

const fn keyword(name: &'static str, word: &'static str, value: Secret) -> Keyword {
    Keyword { name, word, value }
}

#[rustfmt::skip]
pub(super) static KEYWORDS: &[Keyword] = &[
    keyword("password", "password", Secret::Random(10)),
    keyword("password", "passwd", Secret::Random(10)),
    keyword("password", "passphrase", Secret::Random(10)),
    keyword("secret", "secret", Secret::Random(16)),
    keyword("secret", "secret_key", Secret::Random(16)),
    keyword("secret", "secretkey", Secret::Random(16)),
    keyword("secret", "secret-key", Secret::Random(16)),
    keyword("token", "token", Secret::Random(16)),
    keyword("api-key", "api_key", Secret::Random(16)),
    keyword("api-key", "apikey", Secret::Random(16)),
    keyword("api-key", "api-key", Secret::Random(16)),
    // `secret_access_key`, `SharedAccessKey`, `AccountKey`
    keyword("access-key", "access_key", Secret::Random(16)),
    keyword("access-key", "access-key", Secret::Random(16)),
    keyword("access-key", "accesskey", Secret::Random(16)),
    keyword("azure-key", "accountkey", Secret::Random(32)),
    keyword("auth-key", "auth_key", Secret::Random(16)),
    keyword("auth-key", "authkey", Secret::Random(16)),
    keyword("bearer-token", "bearer", Secret::Bearer),
    keyword("basic-auth", "basic", Secret::Basic),
    keyword("docker-auth", "\"auth", Secret::Docker),
];
