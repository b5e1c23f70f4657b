//! Who is still running, read from /proc: a test of the supervisor must not
//! ask the supervisor.

use std::fs;

/// Whether a process runs. A zombie has ended; that nobody fetched its status
/// does not make it run.
#[must_use]
pub fn alive(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    // `pid (name) state …`; the name may hold a parenthesis.
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X' | 'x'))
}

/// The processes, other than this one, that carry the marker in their
/// environment or arguments, whoever their parent is now. Make the marker
/// unique to the test.
#[must_use]
pub fn descendants_with_marker(marker: &str) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut found: Vec<u32> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != std::process::id())
        .filter(|pid| carries(*pid, marker.as_bytes()) && alive(*pid))
        .collect();
    found.sort_unstable();
    found
}

fn carries(pid: u32, marker: &[u8]) -> bool {
    ["environ", "cmdline"].into_iter().any(|file| {
        let content = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        !marker.is_empty() && content.windows(marker.len()).any(|window| window == marker)
    })
}
