//! Configuration as the binary sees it: real files, a made-up environment.

mod errors;
mod hostile;
mod layers;
mod places;
mod providers;
mod reference;
mod support;
mod untrusted;
