//! The engine with a scripted model over the real codec, real tools and a real
//! log. Every request passes the strict validators, every session is verified.

mod approvals;
mod basics;
mod corpus;
mod embed;
mod hooks;
mod interrupts;
mod masking;
mod models;
mod repeats;
mod schedules;
mod subscribers;
mod support;
