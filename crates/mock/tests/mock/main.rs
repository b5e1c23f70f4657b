//! The mock server over real sockets, and the validators.

mod client;
mod conversation_rules;
mod demo;
mod endpoints;
mod faults;
mod openai;
mod prefix;
mod recording;
mod request_rules;
mod scenario_file;
mod shapes;
mod steps;
mod streaming;
