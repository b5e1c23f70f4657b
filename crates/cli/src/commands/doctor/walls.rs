//! What the kernel offers for walls, and whether they hold: commands are really
//! started behind them and try to get out.

use super::Finding;
use crate::assemble;
use crate::place::Place;
use crate::sandbox::{Environment, Walls, key_variables, whole_environment};
use tenon_config::{Resolved, SandboxLacking, SandboxMode};
use tenon_sandbox::{Held, Level, Probe, Support, Trial};

const KERNEL: &str = "kernel";
const SANDBOX: &str = "sandbox";

pub(super) fn kernel() -> Vec<Finding> {
    let probe = Probe::look();
    let mut findings = vec![Finding::ok(KERNEL, format!("release {}", probe.kernel))];
    findings.push(match probe.user_namespaces {
        Support::Present => Finding::ok(KERNEL, "user namespaces: allowed"),
        Support::Absent => Finding::warn(
            KERNEL,
            "user namespaces: not allowed",
            "protected files are then checked after each command instead of being walled off; allow them with `sysctl -w user.max_user_namespaces=16384`, in a container with a profile that permits `unshare`, on Ubuntu with `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`",
        ),
    });
    findings.push(match probe.landlock {
        Some(version) => Finding::ok(KERNEL, format!("Landlock: version {version}")),
        None => Finding::warn(
            KERNEL,
            "Landlock: not there",
            "it is the second wall around files; boot a kernel of 5.13 or newer with `lsm=landlock,…`",
        ),
    });
    findings.push(match probe.seccomp {
        Support::Present => Finding::ok(KERNEL, "seccomp: there"),
        Support::Absent => Finding::warn(
            KERNEL,
            "seccomp: not there",
            "dangerous system calls cannot be refused; use a kernel with CONFIG_SECCOMP_FILTER",
        ),
    });
    if probe.subreaper == Support::Absent {
        findings.push(Finding::warn(
            KERNEL,
            "no subreaper",
            "a command that detaches itself twice may outlive its call",
        ));
    }
    findings
}

pub(super) async fn sandbox(place: &Place, resolved: Option<&Resolved>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(resolved) = resolved else {
        findings.extend(tried(&Probe::trial(&assemble::supervisor()).await, None));
        return findings;
    };
    let settings = &resolved.sandbox;
    if settings.mode == SandboxMode::Off {
        findings.push(Finding::warn(
            SANDBOX,
            "switched off: commands run without walls",
            "set `sandbox.mode` to `workspace-write`",
        ));
    } else {
        findings.push(Finding::ok(
            SANDBOX,
            format!(
                "asked for: mode {}, network {}",
                settings.mode.name(),
                match settings.network {
                    tenon_config::SandboxNetwork::Inherit => "inherit",
                    tenon_config::SandboxNetwork::Deny => "deny",
                }
            ),
        ));
    }
    let trial = Probe::trial(&assemble::supervisor()).await;
    findings.extend(tried(&trial, Some(settings.lacking)));
    findings.extend(paths(place, resolved));
    findings
}

fn tried(trial: &Trial, lacking: Option<SandboxLacking>) -> Vec<Finding> {
    let mut findings = Vec::new();
    match &trial.confinement {
        Err(error) => findings.push(Finding::problem(
            SANDBOX,
            format!("a confined command cannot be started: {error}"),
            "commands will not run; see the kernel's findings above, or set `sandbox.mode` to `off` and take the risk",
        )),
        Ok(stands) if stands.level == Level::Full => findings.push(Finding::ok(
            SANDBOX,
            format!("level full ({})", stands.adapter),
        )),
        Ok(stands) => {
            let what = format!(
                "level {} ({}); not covered: {}",
                stands.level.name(),
                stands.adapter,
                stands.not_covered.join("; ")
            );
            findings.push(match lacking {
                Some(SandboxLacking::Refuse) => Finding::problem(
                    SANDBOX,
                    what,
                    "`sandbox.lacking` is `refuse`, so commands do not run; see the kernel's findings above, or set it to `partial`",
                ),
                _ => Finding::warn(SANDBOX, what, "see the kernel's findings above"),
            });
        }
    }
    findings.extend(trial.findings.iter().map(|wall| {
        let what = format!("tried: {}: {}", wall.wall, wall.detail);
        match wall.held {
            Held::Yes => Finding::ok(SANDBOX, what),
            Held::No => Finding::warn(SANDBOX, what, "this wall does not stand here"),
            Held::Unknown => Finding::warn(SANDBOX, what, "nothing is known of this wall"),
        }
    }));
    findings
}

/// What the walls are about in this project.
fn paths(place: &Place, resolved: &Resolved) -> Vec<Finding> {
    let settings = &resolved.sandbox;
    let mut findings = Vec::new();
    if let Some(policy) = Walls::find(place, settings, None).policy {
        let listed = |paths: &[std::path::PathBuf]| {
            let names: Vec<String> = paths
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            names.join(", ")
        };
        findings.push(Finding::ok(
            SANDBOX,
            format!("writable: {}", {
                let roots: Vec<_> = policy.writable_roots().cloned().collect();
                listed(&roots)
            }),
        ));
        findings.push(Finding::ok(
            SANDBOX,
            format!("read-only below these: {}", listed(&policy.read_only)),
        ));
        findings.push(Finding::ok(
            SANDBOX,
            format!("hidden: {}", listed(&policy.hidden)),
        ));
    }
    let sorted = Environment::sort(whole_environment(), settings, &key_variables(resolved));
    findings.push(Finding::ok(
        SANDBOX,
        if sorted.withheld.is_empty() {
            String::from("variables withheld from commands: none")
        } else {
            format!(
                "variables withheld from commands: {} (sandbox.environment.keep)",
                sorted.withheld.join(", ")
            )
        },
    ));
    findings
}
