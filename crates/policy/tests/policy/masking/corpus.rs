//! One sample at least of every kind. The letters are drawn by a fixed rule: a
//! repository that holds things which look like keys sets off every scanner.

const ALNUM: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &[u8] = b"0123456789abcdef";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

#[derive(Debug, Clone)]
pub struct Sample {
    pub text: String,
    /// What must not be left.
    pub secrets: Vec<String>,
    pub name: &'static str,
}

/// Letters drawn by a fixed rule.
pub fn draw(seed: u64, length: usize, letters: &[u8]) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let at = usize::try_from(state >> 33).unwrap() % letters.len();
            char::from(letters[at])
        })
        .collect()
}

pub fn base64(seed: u64, length: usize) -> String {
    draw(seed, length, BASE64)
}

pub fn hex(seed: u64, length: usize) -> String {
    draw(seed, length, HEX)
}

pub fn private_key(label: &str, lines: usize) -> String {
    let mut text = format!("-----BEGIN {label}-----\n");
    for line in 0..lines {
        text.push_str(&base64(1000 + line as u64, 64));
        text.push('\n');
    }
    text.push_str(&base64(7, 20));
    text.push_str(&format!("==\n-----END {label}-----"));
    text
}

/// Tokens that say by themselves what they are.
pub fn tokens() -> Vec<String> {
    named_tokens().into_iter().map(|(_, token)| token).collect()
}

fn named_tokens() -> Vec<(&'static str, String)> {
    let plain: &[(&str, &str, &[u8], usize)] = &[
        ("aws-key", "AKIA", UPPER, 16),
        ("aws-key", "ASIA", UPPER, 16),
        ("google-key", "AIza", URL, 35),
        ("google-secret", "GOCSPX-", URL, 28),
        ("google-token", "ya29.", URL, 120),
        ("digitalocean-token", "dop_v1_", HEX, 64),
        ("databricks-token", "dapi", HEX, 32),
        ("vault-token", "hvs.", URL, 90),
        ("supabase-key", "sbp_", HEX, 40),
        ("github-token", "ghp_", ALNUM, 36),
        ("github-token", "gho_", ALNUM, 36),
        ("github-token", "ghu_", ALNUM, 36),
        ("github-token", "ghs_", ALNUM, 36),
        ("github-token", "ghr_", ALNUM, 76),
        ("github-token", "github_pat_", ALNUM, 82),
        ("gitlab-token", "glpat-", URL, 20),
        ("gitlab-token", "gldt-", URL, 20),
        ("npm-token", "npm_", ALNUM, 36),
        ("pypi-token", "pypi-AgEIcHlwaS5vcmc", URL, 150),
        ("docker-token", "dckr_pat_", URL, 27),
        ("openai-key", "sk-", ALNUM, 48),
        ("openai-key", "sk-proj-", URL, 156),
        ("openai-key", "sk-", HEX, 32),
        ("anthropic-key", "sk-ant-api03-", URL, 95),
        ("openrouter-key", "sk-or-v1-", HEX, 64),
        ("huggingface-token", "hf_", ALNUM, 34),
        ("groq-key", "gsk_", ALNUM, 52),
        ("nvidia-key", "nvapi-", URL, 64),
        ("xai-key", "xai-", ALNUM, 80),
        ("perplexity-key", "pplx-", ALNUM, 48),
        ("replicate-token", "r8_", ALNUM, 37),
        ("slack-token", "xoxb-", ALNUM, 50),
        ("slack-token", "xoxp-", ALNUM, 70),
        ("stripe-key", "sk_live_", ALNUM, 24),
        ("stripe-key", "rk_live_", ALNUM, 99),
        ("stripe-secret", "whsec_", ALNUM, 32),
        ("shopify-token", "shpat_", HEX, 32),
        ("linear-key", "lin_api_", ALNUM, 40),
        ("age-key", "AGE-SECRET-KEY-1", UPPER, 58),
    ];
    let mut all: Vec<(&'static str, String)> = plain
        .iter()
        .enumerate()
        .map(|(seed, (name, prefix, letters, length))| {
            // The last letter is no dash, so that a frame may follow it.
            let body = draw(seed as u64 + 3, length - 1, letters);
            (*name, format!("{prefix}{body}7"))
        })
        .collect();
    all.push((
        "sendgrid-key",
        format!("SG.{}.{}7", draw(50, 22, ALNUM), draw(51, 42, ALNUM)),
    ));
    all.push(("jwt", jwt()));
    // Made up by hand: what stands before says what they are.
    let letters = "abcdefghijklmnopqrstuvwxyz";
    for (name, prefix, length) in [
        ("openai-key", "sk-", 26),
        ("openai-key", "sk-proj-", 32),
        ("anthropic-key", "sk-ant-", 32),
        ("anthropic-key", "sk-ant-api03-", 32),
        ("github-token", "ghp_", 36),
        ("github-token", "gho_", 36),
        ("github-token", "github_pat_", 40),
        ("slack-token", "xoxb-", 26),
        ("google-key", "AIza", 35),
        ("huggingface-token", "hf_", 34),
        ("groq-key", "gsk_", 52),
        ("nvidia-key", "nvapi-", 64),
    ] {
        let body: String = letters.chars().cycle().take(length).collect();
        all.push((name, format!("{prefix}{body}")));
    }
    all.push(("aws-key", String::from("AKIAABCDEFGHIJKLMNOP")));
    all
}

fn jwt() -> String {
    format!(
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI{}.{}",
        draw(60, 40, ALNUM),
        draw(61, 43, ALNUM)
    )
}

fn sample(name: &'static str, text: String, secrets: &[&str]) -> Sample {
    Sample {
        text,
        secrets: secrets.iter().map(|secret| (*secret).to_owned()).collect(),
        name,
    }
}

pub fn samples() -> Vec<Sample> {
    let mut all: Vec<Sample> = named_tokens()
        .into_iter()
        .map(|(name, token)| sample(name, format!("the key is {token}, keep it"), &[&token]))
        .collect();
    all.extend(keys());
    all.extend(assignments());
    all.extend(headers());
    all.extend(addresses());
    all
}

fn keys() -> Vec<Sample> {
    let mut all = Vec::new();
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "DSA PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let key = private_key(label, 5);
        let line = base64(1002, 64);
        all.push(sample(
            "private-key",
            format!("cat key\n{key}\n$ "),
            &[&line],
        ));
        let account = format!(
            "{{\n  \"type\": \"service_account\",\n  \"private_key\": \"{}\\n\",\n  \"client_email\": \"a@b.test\"\n}}",
            key.replace('\n', "\\n")
        );
        all.push(sample("private-key", account, &[&line]));
    }
    let encrypted = private_key("RSA PRIVATE KEY", 3).replacen(
        "-----\n",
        "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n",
        1,
    );
    all.push(sample("private-key", encrypted, &[&base64(1001, 64)]));
    all
}

fn assignments() -> Vec<Sample> {
    let secret = base64(70, 40);
    let random = draw(71, 24, ALNUM);
    let hash = hex(72, 40);
    let azure = format!("{}==", base64(73, 86));
    let twilio = hex(74, 32);
    let mut all = vec![
        sample(
            "aws-secret-key",
            format!("aws_secret_access_key = {secret}\nregion = eu"),
            &[&secret],
        ),
        sample(
            "aws-secret-key",
            format!("{{\"SecretAccessKey\": \"{secret}\"}}"),
            &[&secret],
        ),
        sample(
            "azure-key",
            format!("AccountName=x;AccountKey={azure};EndpointSuffix=core"),
            &[&azure],
        ),
        sample(
            "azure-key",
            format!("Endpoint=sb://x.test/;SharedAccessKeyName=all;SharedAccessKey={secret}="),
            &[&secret],
        ),
        sample("token", format!("TWILIO_AUTH_TOKEN={twilio}\n"), &[&twilio]),
        sample(
            "api-key",
            format!("TWILIO_API_KEY=SK{twilio}\n"),
            &[&twilio],
        ),
        sample(
            "telegram-token",
            format!(
                "https://api.telegram.org/bot123456789:AA{}/getMe",
                draw(75, 33, URL)
            ),
            &[&draw(75, 33, URL)],
        ),
        sample(
            "netrc-password",
            String::from("machine git.test login me password hunter2x\n"),
            &["hunter2x"],
        ),
        sample(
            "netrc-password",
            String::from(
                "     1\u{2192}machine git.test\n     2\u{2192}  login me\n     3\u{2192}  password hunter2x\n",
            ),
            &["hunter2x"],
        ),
    ];
    for text in [
        format!("password={random}"),
        format!("DB_PASSWORD='{random}'"),
        format!("\"password\": \"{random}\","),
        format!("{{\\\"password\\\": \\\"{random}\\\"}}"),
        format!("  password: {random}\n"),
        format!("psql --password {random}"),
        format!("config['password'] = \"{random}\""),
        format!("password := `{random}`"),
        format!("passwd = b\"{random}\""),
    ] {
        all.push(sample("password", text, &[&random]));
    }
    for (name, text) in [
        ("secret", format!("client_secret: \"{hash}\"")),
        ("secret", format!("SECRET_KEY={random}")),
        ("token", format!("\"access_token\":\"{random}\"")),
        ("token", format!("?user=1&token={hash}&x=2")),
        ("token", format!("gh --token {hash}")),
        ("api-key", format!("x-api-key: {random}")),
        ("api-key", format!("apiKey: '{random}'")),
        ("auth-key", format!("AUTH_KEY={random}")),
    ] {
        let secret = if text.contains(&hash) { &hash } else { &random };
        all.push(sample(name, text.clone(), &[secret]));
    }
    all
}

fn headers() -> Vec<Sample> {
    let random = draw(80, 32, ALNUM);
    let (jwt, basic) = (jwt(), "bWU6aHVudGVyMng=");
    vec![
        sample(
            "bearer-token",
            format!("curl -H 'Authorization: Bearer {random}' x"),
            &[&random],
        ),
        sample(
            "bearer-token",
            String::from("Authorization: Bearer abcdefghijklmnopqrstuvwxyz"),
            &["abcdefghijklmnopqrstuvwxyz"],
        ),
        sample(
            "bearer-token",
            String::from("headers = {'X-Key': 'Bearer abcdefghijklmnopqrstuvwxyz'}"),
            &["abcdefghijklmnopqrstuvwxyz"],
        ),
        sample("jwt", format!("authorization: bearer {jwt}\r\n"), &[&jwt]),
        sample(
            "basic-auth",
            format!("Authorization: Basic {basic}\n"),
            &[basic],
        ),
        sample(
            "docker-auth",
            format!("{{\"auths\": {{\"reg.test\": {{\"auth\": \"{basic}\"}}}}}}"),
            &[basic],
        ),
        sample(
            "slack-webhook",
            format!(
                "https://hooks.slack.com/services/T0{}/B0{}/{}",
                &random[..8],
                &random[8..16],
                &random[..24]
            ),
            &[&random[..24]],
        ),
    ]
}

fn addresses() -> Vec<Sample> {
    [
        "postgres://app:h0rse-b4ttery@db:5432/x",
        "mysql://root:h0rse-b4ttery@127.0.0.1/x",
        "mongodb+srv://u:h0rse-b4ttery@cluster0.mongodb.net/?retryWrites=true",
        "redis://:h0rse-b4ttery@cache:6379/0",
        "amqp://u:h0rse-b4ttery@mq//",
        "https://oauth2:h0rse-b4ttery@git.test/a/b.git",
        "{\"u\":\"https:\\/\\/me:h0rse-b4ttery@git.test\\/a\"}",
        "smtp://me%40x.test:h0rse-b4ttery@mail",
    ]
    .into_iter()
    .map(|text| sample("url-password", text.to_owned(), &["h0rse-b4ttery"]))
    .collect()
}
