//! Configuration as the binary sees it: real files, a made-up environment.

mod errors;
mod hooks;
mod hostile;
mod layers;
mod managed;
mod models;
mod places;
mod providers;
mod reference;
mod sandbox;
mod saved;
mod secrets;
mod skills;
mod support;
mod trust;
mod tui;
mod untrusted;
