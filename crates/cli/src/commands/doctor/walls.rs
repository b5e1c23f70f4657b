//! What the kernel offers for walls, and whether they hold: commands are really
//! started behind them and try to get out.

use super::Finding;
use crate::assemble;
use crate::place::Place;
use crate::sandbox::{Environment, Walls, doubts, key_variables, whole_environment};
use std::path::PathBuf;
use tenon_config::{Resolved, SandboxLacking, SandboxNetwork, SandboxSettings};
use tenon_sandbox::{Confinement, Held, Level, Probe, SandboxPolicy, Support, Trial};

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
            "without them, protected files are checked after each command instead of being read-only; allow them with `sysctl -w user.max_user_namespaces=16384`, in a container with a profile that permits `unshare`, on Ubuntu with `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`",
        ),
    });
    findings.push(match probe.landlock {
        Some(version) => Finding::ok(KERNEL, format!("Landlock: version {version}")),
        None => Finding::warn(
            KERNEL,
            "Landlock: not available",
            "it is the second layer of file protection; boot kernel 5.13 or newer with `lsm=landlock,…`",
        ),
    });
    findings.push(match probe.seccomp {
        Support::Present => Finding::ok(KERNEL, "seccomp: available"),
        Support::Absent => Finding::warn(
            KERNEL,
            "seccomp: not available",
            "dangerous system calls can't be refused; use a kernel with CONFIG_SECCOMP_FILTER",
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
    let supervisor = assemble::supervisor();
    let Some(resolved) = resolved else {
        let trial = Probe::trial(&supervisor).await;
        let mut findings = vec![Finding::warn(
            SANDBOX,
            "can't read the configuration, so this tests the full sandbox without network",
            "fix the configuration, see below",
        )];
        findings.extend(stands(&trial.confinement, None));
        findings.extend(tried(&trial));
        return findings;
    };
    let settings = &resolved.sandbox;
    let mut findings = Vec::new();
    match Walls::find(place, settings, None).policy {
        None => findings.push(Finding::warn(
            SANDBOX,
            "off: commands run without a sandbox",
            "set `sandbox.mode` to `workspace-write`",
        )),
        Some(policy) => {
            findings.push(asked_for(settings));
            let confinement = Probe::stand(&supervisor, &policy).await;
            findings.extend(stands(&confinement, Some(settings.lacking)));
            findings.extend(tried(&Probe::trial_like(&supervisor, &policy).await));
            findings.extend(doubts(place, settings).into_iter().map(|doubt| {
                Finding::warn(
                    SANDBOX,
                    format!("`{}`: `{}` {}", doubt.key, doubt.entry, doubt.why),
                    doubt.advice,
                )
            }));
            findings.extend(paths(&policy));
        }
    }
    findings.push(variables(resolved));
    findings
}

fn asked_for(settings: &SandboxSettings) -> Finding {
    let network = match settings.network {
        SandboxNetwork::Inherit => "inherit",
        SandboxNetwork::Deny => "deny",
    };
    Finding::ok(
        SANDBOX,
        format!(
            "configured: mode {}, network {network}",
            settings.mode.name()
        ),
    )
}

/// What stood around a command behind the walls that are configured here.
fn stands(
    confinement: &Result<Confinement, String>,
    lacking: Option<SandboxLacking>,
) -> Vec<Finding> {
    let stands = match confinement {
        Ok(stands) => stands,
        Err(error) => {
            return vec![Finding::problem(
                SANDBOX,
                format!("can't start a command in the sandbox: {error}"),
                "commands will not run; see the kernel's findings above and the paths below `sandbox` in the configuration, or set `sandbox.mode` to `off` and take the risk",
            )];
        }
    };
    let level = format!("level {} ({})", stands.level.name(), stands.adapter);
    let level = match (stands.level, lacking) {
        (Level::Full, _) => Finding::ok(SANDBOX, level),
        (_, Some(SandboxLacking::Refuse)) => Finding::problem(
            SANDBOX,
            level,
            "`sandbox.lacking` is `refuse`, so commands do not run; see the kernel's findings above, or set it to `partial`",
        ),
        _ => Finding::warn(SANDBOX, level, "see the kernel's findings above"),
    };
    let mut findings = vec![level];
    findings.extend(stands.not_covered.iter().map(|gap| {
        let (what, paths) = match gap.split_once(": /") {
            Some((what, paths)) => (what, format!("/{paths}")),
            None => (gap.as_str(), String::new()),
        };
        let list = paths.split(", ").filter(|path| !path.is_empty());
        Finding::ok(SANDBOX, format!("not covered: {what}"))
            .listing(list.map(str::to_owned).collect())
    }));
    findings
}

fn tried(trial: &Trial) -> Vec<Finding> {
    trial
        .findings
        .iter()
        .map(|wall| {
            let what = format!("tested: {}: {}", wall.wall, wall.detail);
            match wall.held {
                Held::Yes => Finding::ok(SANDBOX, what),
                Held::No => Finding::warn(SANDBOX, what, "this protection does not work here"),
                Held::Unknown => Finding::warn(SANDBOX, what, "this protection was not tested"),
            }
        })
        .collect()
}

/// What the walls are about in this project.
fn paths(policy: &SandboxPolicy) -> Vec<Finding> {
    let writable: Vec<PathBuf> = policy.writable_roots().cloned().collect();
    [
        ("writable", writable.as_slice()),
        ("read-only below these", &policy.read_only),
        ("hidden", &policy.hidden),
    ]
    .into_iter()
    .map(|(what, paths)| {
        let names: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        match names.is_empty() {
            true => Finding::ok(SANDBOX, format!("{what}: nothing")),
            false => Finding::ok(SANDBOX, what).listing(names),
        }
    })
    .collect()
}

fn variables(resolved: &Resolved) -> Finding {
    let keys = key_variables(resolved);
    let withheld = Environment::sort(whole_environment(), &resolved.sandbox, &keys).withheld;
    if withheld.is_empty() {
        return Finding::ok(SANDBOX, "variables withheld from commands: none");
    }
    Finding::ok(
        SANDBOX,
        format!(
            "variables withheld from commands: {} (sandbox.environment.keep)",
            withheld.join(", ")
        ),
    )
}
