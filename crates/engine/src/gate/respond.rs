//! Who answers a decision to ask: a flag, a person, or nobody, which is a no.

use crate::parts::{Approval, Confirm};
use crate::schedule::Leave;
use tenon_vocab::{Class, Explanation, Responders};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Responder {
    NotNeeded,
    Flag(&'static str),
    /// The user typed the call; that is the answer.
    Typed,
    Person,
    Nobody,
}

pub(super) fn responder(approval: Approval, leave: Leave, explanation: &Explanation) -> Responder {
    match (explanation.class, explanation.responders) {
        // A question that a key would answer is answered by the whole command.
        (Class::Ask, Responders::Any) if leave == Leave::Typed => Responder::Typed,
        (Class::Allow, _) => Responder::NotNeeded,
        (Class::HardDeny | Class::Deny, _) => Responder::Nobody,
        (Class::Ask | Class::Confirm, Responders::Person) => only_a_person(approval),
        (class @ (Class::Ask | Class::Confirm), Responders::Any) => anybody(approval, class),
    }
}

/// No flag is a live answer (G17).
fn only_a_person(approval: Approval) -> Responder {
    match approval {
        Approval::Ask | Approval::Yes(Confirm::Ask) | Approval::Yolo(Confirm::Ask) => {
            Responder::Person
        }
        Approval::Nobody | Approval::Yes(Confirm::Nobody) | Approval::Yolo(Confirm::Nobody) => {
            Responder::Nobody
        }
    }
}

fn anybody(approval: Approval, class: Class) -> Responder {
    match (class, approval) {
        (_, Approval::Yolo(_)) => Responder::Flag("--yolo"),
        (Class::Ask, Approval::Yes(_)) => Responder::Flag("--yes"),
        (_, Approval::Ask | Approval::Yes(Confirm::Ask)) => Responder::Person,
        (_, Approval::Nobody | Approval::Yes(Confirm::Nobody)) => Responder::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYBODY: [Approval; 6] = [
        Approval::Ask,
        Approval::Nobody,
        Approval::Yes(Confirm::Ask),
        Approval::Yes(Confirm::Nobody),
        Approval::Yolo(Confirm::Ask),
        Approval::Yolo(Confirm::Nobody),
    ];

    fn who(approval: Approval, class: Class) -> Responder {
        responder(approval, Leave::ToBeAsked, &Explanation::new(class, "test"))
    }

    #[test]
    fn what_the_user_typed_answers_a_plain_question_and_nothing_stricter() {
        let who =
            |approval, class| responder(approval, Leave::Typed, &Explanation::new(class, "test"));
        for approval in EVERYBODY {
            assert_eq!(who(approval, Class::Ask), Responder::Typed);
            assert_eq!(who(approval, Class::Deny), Responder::Nobody);
            assert_eq!(who(approval, Class::HardDeny), Responder::Nobody);
        }
        assert_eq!(who(Approval::Ask, Class::Confirm), Responder::Person);
        assert_eq!(who(Approval::Nobody, Class::Confirm), Responder::Nobody);
    }

    #[test]
    fn yes_never_answers_what_must_be_confirmed() {
        let nobody = Approval::Yes(Confirm::Nobody);
        assert_eq!(who(nobody, Class::Confirm), Responder::Nobody);
        assert_eq!(
            who(Approval::Yes(Confirm::Ask), Class::Confirm),
            Responder::Person
        );
        assert_eq!(who(nobody, Class::Ask), Responder::Flag("--yes"));
    }

    #[test]
    fn with_nobody_in_front_ask_is_denied_at_once() {
        assert_eq!(who(Approval::Nobody, Class::Ask), Responder::Nobody);
        assert_eq!(who(Approval::Nobody, Class::Confirm), Responder::Nobody);
        assert_eq!(who(Approval::Nobody, Class::Allow), Responder::NotNeeded);
    }

    #[test]
    fn nothing_answers_a_deny() {
        for approval in EVERYBODY {
            assert_eq!(who(approval, Class::Deny), Responder::Nobody);
            assert_eq!(who(approval, Class::HardDeny), Responder::Nobody);
        }
    }

    #[test]
    fn what_only_a_person_may_answer_no_flag_answers() {
        for class in [Class::Ask, Class::Confirm] {
            for approval in EVERYBODY {
                let mut explanation = Explanation::new(class, "test");
                explanation.responders = Responders::Person;
                let who = responder(approval, Leave::ToBeAsked, &explanation);
                assert!(
                    matches!(who, Responder::Person | Responder::Nobody),
                    "{approval:?}: {who:?}"
                );
                assert_eq!(
                    who == Responder::Person,
                    matches!(
                        approval,
                        Approval::Ask | Approval::Yes(Confirm::Ask) | Approval::Yolo(Confirm::Ask)
                    )
                );
            }
        }
    }
}
