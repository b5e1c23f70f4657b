//! What must come out byte for byte: code, lock files, hashes, prose about
//! secrets, placeholders.

use super::corpus::{base64, draw, hex};
use std::path::{Path, PathBuf};
use tenon_policy::Masker;

const LINES: &[&str] = &[
    // Code about secrets
    "password = get_password()",
    "token: str = Depends(oauth2_scheme)",
    "let token = self.tokens.next_token2()?;",
    "if (password == confirmPassword) {",
    "const apiKey = process.env.OPENAI_API_KEY;",
    "api_key=os.environ[\"OPENAI_API_KEY\"]",
    "password: Arc<Mutex<Option<SecretString>>>,",
    "secret = hashlib.sha256(data).hexdigest()",
    "export const token = createToken<string>('auth2Token');",
    "fn bearer(token: &str) -> String { format!(\"Bearer {token}\") }",
    "headers={\"Authorization\": f\"Bearer {access_token}\"}",
    "format!(\"postgres://{user}:{password}@{host}/{db}\")",
    "sprintf(\"%s://%s:%s@%s\", scheme, user, pass, host)",
    "url = \"mysql://\" + user + \":\" + password + \"@\" + host",
    "text.contains(\"-----BEGIN RSA PRIVATE KEY-----\")",
    "r\"-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?-----END\"",
    "re.compile(r'ghp_[A-Za-z0-9]{36}|sk-[A-Za-z0-9]{48}|AKIA[0-9A-Z]{16}')",
    "max_tokens: 4096, stop_token: 128001, total_tokens=12345678901234567890",
    "token=oauth2SessionToken1&next_page_token=CAUQAA1b2C3d4E5f6G7h8",
    "let key = secrets::access_key(region_v2, account1)?;",
    // Names, not values
    "secretName: my-app-tls-cert-2024",
    "PASSWORD=",
    "API_KEY= # set this",
    "token_type_ids=[0, 1, 1], tokenizer: gpt2-medium-355M",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
    "password_file: /run/secrets/db_password_v2",
    // Placeholders
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "api_key: <your-api-key>",
    "GITHUB_TOKEN=${GITHUB_TOKEN}",
    "token: $CI_JOB_TOKEN",
    "password: {{ .Values.db.password }}",
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "SECRET_KEY = 'django-insecure-4k3j2h1g5f6d7s8a9q0w1e2r3t4y'",
    "Authorization: Bearer YOUR_API_KEY_HERE_123",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-ant-your-key-here-0123456789abcdef0123",
    "password: changeme123changeme",
    // Addresses
    "postgres://user:password@localhost:5432/db",
    "postgres://postgres:postgres@localhost/db",
    "redis://localhost:6379/0",
    "https://example.com:8080/@scope/pkg?mail=a@b.c",
    "ssh://git@github.com:22/owner/repo.git",
    "git+https://github.com/a/b.git#1a2b3c4d5e6f",
    "docker://alpine:3.18.4@sha256:1a2b3c4d5e6f7a8b9c0d",
    "http://[::1]:3000 and https://user@host",
    "https://packages.example.com/@babel/core/-/core-7.24.0.tgz",
    "proxy=http://${PROXY_USER}:${PROXY_PASS}@proxy:3128",
    // Ids and hashes
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "token: 123e4567-e89b-12d3-a456-426614174000",
    "\"integrity\": \"sha512-4ZMFCDNhXYVQkJ8PBlcSBlCDcGSLYiV0UK7mG4yoFEeBpVVZmzIsuYJ0wEJmNMmqE2SR5IDu2zEzlsQWuRkqqw==\",",
    "checksum = \"8e4f0d2f1a5c4f4e6f0a8c4d0b9e7f6a5d4c3b2a1908f7e6d5c4b3a29180f7e6\"",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8bq2Xk1mN4pQ7rS0tU3vW6xY9zA2bC5dE8fG1hI4jK me@host",
    "etag: W/\"5f8d-18a7c2b3d4e5f6\"",
    // Prose
    "a task-1, a risk-based desk-top, disk-usage, ask-me, mask-secrets",
    "Basic authentication is not Bearer authentication; basic understanding helps.",
    "the basic dGhpcyBpcyB0ZXh0 of it",
    "Enter password: ",
    "your login and password management, the login name password policy",
    "Asia and asian markets; msg.content; the eyJ prefix; npm_config_cache=/tmp",
    "sk-circle-fade-dot-1 sk-cube-grid-animation-delay-2 sk-spinner-three-bounce-4",
    "sk-learn, sk-learn-contrib-and-its-many-packages, task-force-abcdefghijklmnopqrstuvwxyz",
    "disk-abcdefghijklmnopqrstuvwxyz, a risk-abcdefghijklmnopqrstuvwxyz and Bearer AuthenticationSchemeProvider",
    ".sk-navigationMenuItemActiveState { color: red }",
    "<div class=\"sk-toggleableContentContainerWrapper\">",
    "import { Provider } from './sk-AuthenticationServiceProvider'",
    "sk-internationalization-strings.json, sk-hmacSha256AuthenticationProvider.ts",
    "nvapi-integration-tests-for-the-catalog-of-models-and-services",
    "glpat-based-authentication-of-runners, xoxb-tokens-of-the-old-workspace",
    "Bearer internationalizationservice",
    "the standard bearer donaudampfschifffahrtsgesellschaft",
    "nvapi-based, hf_transfer_of_all_files_of_a_repository, xoxb-style, AIzawa, AKIA-like",
    "hf_hub_download, gsk_widget_get_type, r8_optimize, npm_lifecycle_event=build",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEx1y2z3A4B5C6D7E8F9G0H1I2J3K4L5M6\n-----END PUBLIC KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "---------------------------------------------------------- -----BEGIN",
];

#[track_caller]
fn untouched(text: &str, what: &str) {
    let masked = Masker::standard().mask(text).into_owned();
    if masked == text {
        return;
    }
    let at = masked
        .bytes()
        .zip(text.bytes())
        .position(|(a, b)| a != b)
        .unwrap_or(0);
    let from = text.floor_char_boundary(at.saturating_sub(60));
    let to = text.floor_char_boundary(at + 80);
    panic!("{what}: masked at {at}: {}", &text[from..to]);
}

#[test]
fn code_and_prose_about_secrets_stay_as_they_are() {
    for line in LINES {
        untouched(line, line);
    }
    untouched(&LINES.join("\n"), "all together");
}

#[test]
fn random_letters_without_a_name_stay_as_they_are() {
    for seed in 0..200 {
        untouched(&base64(seed, 4000), "base64");
        untouched(&hex(seed, 4000), "hex");
        let words: Vec<String> = (0..60).map(|at| base64(seed * 97 + at, 43)).collect();
        untouched(&words.join("\n"), "words");
        let url: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
        untouched(&draw(seed, 4000, url), "url-safe");
    }
}

#[test]
fn an_image_in_a_page_stays_whole() {
    let image = format!(
        "<img src=\"data:image/png;base64,iVBORw0KGgo{}=\" alt=\"token\">",
        base64(5, 60_000)
    );
    untouched(&image, "image");
}

#[test]
fn minified_code_stays_as_it_is() {
    let code = "!function(e,t){\"use strict\";var n=e.token||t.a1B2,r={password:n.p4Ss,secret:r2D2c3P0,apiKey:o.k3Y};\
                function a(e){return e.token=e.t0k3n?e.t0k3n.slice(0,16):u(\"token\",!0)}e.exports={accessToken:i.a9,authKey:s.b8}}(this);";
    untouched(&code.repeat(200), "minified");
}

/// The sources, documents and lock file of this repository, apart from the tests
/// that are about secrets.
#[test]
fn this_repository_stays_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.clone()];
    let mut seen = 0;
    let mut touched = Vec::new();
    let masker = Masker::standard();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                let about_secrets = name == "masking" || name == "mask";
                if !name.starts_with('.') && name != "target" && !about_secrets {
                    folders.push(path);
                }
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                // Tests that need something which looks like a secret.
                let exempt = ["auth.rs", "proxies.rs", "tests.rs"].contains(&name.as_str());
                if exempt || name.contains("secret") || name.contains("mask") {
                    continue;
                }
                seen += 1;
                // Some tests need an address with a password.
                let text = text.replace(":hunter2@", ":password@");
                if masker.mask(&text) != text {
                    touched.push(path.clone());
                }
            }
        }
    }
    assert_eq!(touched, Vec::<PathBuf>::new());
    assert!(seen > 300, "{seen}");
}
