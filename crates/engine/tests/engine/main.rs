//! The engine with a scripted model over the real codec, real tools and a real
//! log. Every request passes the strict validators, every session is verified.

mod advice;
mod agents;
mod approvals;
mod basics;
mod compaction;
mod corpus;
mod dialect;
mod embed;
mod figures;
mod formats;
mod hooks;
mod images;
mod interrupts;
mod layout;
mod masking;
mod mentions;
mod models;
mod modes;
mod outlook;
mod own_commands;
mod recovered;
mod repeats;
mod rules;
mod schedules;
mod skills;
mod subscribers;
mod support;
mod switching;
mod thinking;
mod titles;
mod todo;
mod together;
mod undo;
mod whole;
mod windows;
