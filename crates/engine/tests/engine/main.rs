//! The engine with a scripted model over the real codec, real tools and a real
//! log. Every request passes the strict validators, every session is verified.

mod approvals;
mod basics;
mod corpus;
mod dialect;
mod embed;
mod figures;
mod formats;
mod hooks;
mod images;
mod interrupts;
mod masking;
mod models;
mod recovered;
mod repeats;
mod schedules;
mod subscribers;
mod support;
mod switching;
mod thinking;
mod titles;
mod whole;
mod windows;
