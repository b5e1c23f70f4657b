//! The mock server over real sockets, and the validators.

mod captured;
mod client;
mod conversation_rules;
mod demo;
mod endpoints;
mod faults;
mod messages;
mod messages_rules;
mod prefix;
mod recording;
mod refusals;
mod request_rules;
mod responses;
mod responses_rules;
mod scenario_file;
mod sdk;
mod shapes;
mod software;
mod steps;
mod streaming;
mod tape;
