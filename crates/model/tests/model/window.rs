//! The served window, read from the answers of servers as they write them.

use crate::support::transcript;
use tenon_model::{ProbePlace, Reach, Survey, Window, WindowSource};

/// Asks a server that has these paths; gives the window and what was asked.
fn survey(mut survey: Survey, paths: &[(&str, &str)]) -> (Option<Window>, Vec<&'static str>) {
    let mut asked = Vec::new();
    while let Some(probe) = survey.next_probe() {
        asked.push(probe.path);
        assert!(asked.len() < 20, "it never ends");
        if let Some((_, body)) = paths.iter().find(|(path, _)| *path == probe.path) {
            let path = match probe.place {
                ProbePlace::Base => format!("/v1{}", probe.path),
                ProbePlace::Root => probe.path.to_owned(),
            };
            survey.answer(&probe, &path, body.as_bytes());
        }
    }
    (survey.finish(), asked)
}

fn local(paths: &[(&str, &str)]) -> Option<Window> {
    survey(Survey::new("small", Reach::Local, 8080), paths).0
}

fn served(tokens: u64, source: &str) -> Option<Window> {
    Some(Window {
        tokens,
        source: WindowSource::Server(source.to_owned()),
    })
}

const MANY: &str = r#"{"data":[{"id":"other"},{"id":"small"}]}"#;

type Paths = &'static [(&'static str, &'static str)];

type Told = Option<(u64, &'static str)>;

/// A server, its paths, and the window that they tell with its source.
const SERVERS: &[(&str, Paths, Told)] = &[
    (
        "vLLM",
        &[(
            "/models",
            r#"{"data":[{"id":"small","owned_by":"vllm","max_model_len":40960}]}"#,
        )],
        Some((40960, "/v1/models")),
    ),
    (
        "llama.cpp",
        &[(
            "/models",
            r#"{"data":[{"id":"x.gguf","owned_by":"llamacpp","meta":{"n_ctx":16384,"n_ctx_train":131072}}]}"#,
        )],
        Some((16384, "/v1/models of llama.cpp")),
    ),
    (
        "llama.cpp, older",
        &[
            (
                "/models",
                r#"{"data":[{"id":"x.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}"#,
            ),
            (
                "/props",
                r#"{"default_generation_settings":{"n_ctx":16384}}"#,
            ),
        ],
        Some((16384, "/props")),
    ),
    (
        "llama.cpp behind a wall",
        &[(
            "/models",
            r#"{"data":[{"id":"x.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}"#,
        )],
        Some((131_072, "/v1/models of llama.cpp, n_ctx_train")),
    ),
    (
        "Ollama, loaded",
        &[
            ("/models", MANY),
            (
                "/api/ps",
                r#"{"models":[{"name":"small:latest","model":"small:latest","context_length":4096}]}"#,
            ),
            (
                "/api/show",
                r#"{"parameters":"num_ctx 65536","model_info":{"llama.context_length":131072}}"#,
            ),
        ],
        Some((4096, "/api/ps")),
    ),
    (
        "Ollama, not loaded, with its own file",
        &[
            ("/models", MANY),
            ("/api/ps", r#"{"models":[]}"#),
            (
                "/api/show",
                r#"{"parameters":"temperature 0.7\nnum_ctx    65536\n","model_info":{"llama.context_length":131072}}"#,
            ),
        ],
        Some((65536, "/api/show")),
    ),
    (
        "Ollama, not loaded: the most that it could be is not what it is",
        &[
            ("/models", MANY),
            ("/api/ps", r#"{"models":[]}"#),
            (
                "/api/show",
                r#"{"parameters":"stop x","model_info":{"llama.context_length":131072}}"#,
            ),
        ],
        None,
    ),
    (
        "LM Studio, loaded",
        &[
            ("/models", MANY),
            (
                "/api/v0/models",
                r#"{"data":[{"id":"other","max_context_length":1024},{"id":"small","state":"loaded","max_context_length":262144,"loaded_context_length":32768}]}"#,
            ),
        ],
        Some((32768, "/api/v0/models")),
    ),
    (
        "LM Studio, not loaded",
        &[
            ("/models", MANY),
            (
                "/api/v0/models",
                r#"{"data":[{"id":"small","state":"not-loaded","max_context_length":262144}]}"#,
            ),
        ],
        Some((262_144, "/api/v0/models, max_context_length")),
    ),
    (
        "LiteLLM, with two servers behind one name",
        &[
            ("/models", MANY),
            (
                "/model/info",
                r#"{"data":[{"model_name":"small","model_info":{"max_input_tokens":128000}},{"model_name":"small","model_info":{"max_input_tokens":32000}},{"model_name":"other","model_info":{"max_input_tokens":500}}]}"#,
            ),
        ],
        Some((32000, "/model/info")),
    ),
    (
        "LiteLLM, which does not know",
        &[
            ("/models", MANY),
            (
                "/model/info",
                r#"{"data":[{"model_name":"small","model_info":{"max_input_tokens":null,"max_tokens":null}}]}"#,
            ),
        ],
        None,
    ),
];

#[test]
fn every_server_is_understood_and_the_source_is_named() {
    for (server, paths, expected) in SERVERS {
        let expected = expected.and_then(|(tokens, source)| served(tokens, source));
        assert_eq!(local(paths), expected, "{server}");
    }
}

#[test]
fn a_hosted_list_is_read_for_its_model_and_nothing_else_is_asked() {
    let openrouter = r#"{"data":[{"id":"a/b","context_length":1000},{"id":"small","context_length":262144,"top_provider":{"context_length":131072}}]}"#;
    let hosted = Survey::new("small", Reach::Remote, 443);
    let (window, asked) = survey(hosted, &[("/models", openrouter)]);
    assert_eq!(window, served(131_072, "/v1/models"));
    assert_eq!(asked, ["/models"]);

    let silent = Survey::new("small", Reach::Remote, 443);
    let (window, asked) = survey(silent, &[("/props", r#"{"n_ctx":4096}"#)]);
    assert_eq!((window, asked), (None, vec!["/models"]));

    // Another model of a long list is not this one.
    let other = r#"{"data":[{"id":"a","context_length":1000},{"id":"b","context_length":2000}]}"#;
    let hosted = Survey::new("small", Reach::Remote, 443);
    assert_eq!(survey(hosted, &[("/models", other)]).0, None);
}

#[test]
fn the_likeliest_question_comes_first() {
    for (port, first) in [
        (11434, "/api/ps"),
        (1234, "/api/v0/models"),
        (4000, "/model/info"),
        (8080, "/props"),
        (9000, "/props"),
    ] {
        let (_, asked) = survey(Survey::new("small", Reach::Local, port), &[]);
        assert_eq!(asked[..2], ["/models", first], "{port}");
        assert_eq!(asked.len(), 6, "{port}");
    }
    let lists = [
        ("library", "/api/ps", 6),
        ("organization_owner", "/api/v0/models", 6),
        ("llamacpp", "/props", 2),
    ];
    for (owner, next, questions) in lists {
        let list = format!(r#"{{"data":[{{"id":"small","owned_by":"{owner}"}}]}}"#);
        let start = Survey::new("small", Reach::Local, 9000);
        let (_, asked) = survey(start, &[("/models", &list)]);
        assert_eq!(asked[1], next, "{owner}");
        assert_eq!(asked.len(), questions, "{owner}");
    }
    let vllm = r#"{"data":[{"id":"small","owned_by":"vllm"}]}"#;
    let start = Survey::new("small", Reach::Local, 9000);
    assert_eq!(survey(start, &[("/models", vllm)]).1, ["/models"]);
}

#[test]
fn a_question_about_one_model_names_it() {
    let mut survey = Survey::new("a \"b\"", Reach::Local, 11434);
    let bodies: Vec<String> = std::iter::from_fn(|| survey.next_probe())
        .filter_map(|probe| probe.body)
        .map(|body| body.to_string())
        .collect();
    assert_eq!(bodies, [r#"{"model":"a \"b\""}"#]);
}

#[test]
fn numbers_that_cannot_be_are_not_believed() {
    for number in [
        "0",
        "1",
        "-5",
        "1e99",
        "99999999999999",
        "\"many\"",
        "null",
        "[]",
    ] {
        let list = format!(r#"{{"data":[{{"id":"small","max_model_len":{number}}}]}}"#);
        assert_eq!(local(&[("/models", &list)]), None, "{number}");
    }
    let text = r#"{"data":[{"id":"small","max_model_len":"8192"}]}"#;
    assert_eq!(local(&[("/models", text)]), served(8192, "/v1/models"));
    for body in [
        "",
        "<html>",
        "null",
        "{\"data\":7}",
        "[[[]]]",
        "{\"data\":[7,null]}",
    ] {
        let paths = [
            ("/models", body),
            ("/props", body),
            ("/api/ps", body),
            ("/api/show", body),
            ("/api/v0/models", body),
            ("/model/info", body),
        ];
        assert_eq!(local(&paths), None, "{body}");
    }
}

#[test]
fn captured_lists_are_read() {
    let (_, list) = transcript("llama_models");
    let list = String::from_utf8(list).expect("text");
    let start = Survey::new("anything", Reach::Local, 8091);
    let (window, asked) = survey(start, &[("/models", &list)]);
    assert_eq!(window, served(8192, "/v1/models of llama.cpp"));
    assert_eq!(asked, ["/models"]);
}
