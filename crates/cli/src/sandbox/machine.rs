//! Secrets of the machine, which lie in nobody's home. Most can be read by root
//! alone, or by a group: only what this user can read is hidden, since each
//! hidden path is a mount of every command.

use super::sockets;
use std::path::{Path, PathBuf};

const SECRETS: [&str; 31] = [
    "/run/secrets",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/security/opasswd",
    "/var/backups/shadow.bak",
    "/var/backups/gshadow.bak",
    "/etc/ssl/private",
    "/etc/pki/tls/private",
    "/etc/letsencrypt/live",
    "/etc/letsencrypt/archive",
    "/etc/letsencrypt/keys",
    "/etc/letsencrypt/accounts",
    "/etc/krb5.keytab",
    "/etc/ipsec.secrets",
    "/etc/ipsec.d/private",
    "/etc/swanctl/private",
    "/etc/wireguard",
    "/etc/openvpn",
    "/etc/ppp/chap-secrets",
    "/etc/ppp/pap-secrets",
    "/etc/NetworkManager/system-connections",
    "/etc/docker/key.json",
    "/etc/kubernetes/admin.conf",
    "/etc/kubernetes/pki",
    "/etc/rancher/k3s/k3s.yaml",
    "/etc/mysql/debian.cnf",
    "/etc/postfix/sasl_passwd",
    "/etc/exim4/passwd.client",
    "/var/lib/sss/secrets",
];

/// The keys by which a machine proves to be itself over ssh.
fn host_keys() -> Vec<PathBuf> {
    ["/etc/ssh", "/usr/local/etc/ssh"]
        .into_iter()
        .flat_map(|folder| {
            sockets::named(Path::new(folder), |name| {
                name.starts_with("ssh_host_") && name.ends_with("_key")
            })
        })
        .collect()
}

pub(super) fn secrets() -> Vec<PathBuf> {
    let readable = |path: &PathBuf| {
        if path.is_dir() {
            path.read_dir().is_ok()
        } else {
            path.is_file() && std::fs::File::open(path).is_ok()
        }
    };
    SECRETS
        .map(PathBuf::from)
        .into_iter()
        .chain(host_keys())
        .filter(readable)
        .collect()
}
