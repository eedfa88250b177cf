use super::{
    super::note::{self, NoteProblem},
    key,
};

#[test]
fn a_note_holds_with_its_key_and_with_no_other() {
    let ((ours, vkey), (_, other)) = (key(1), key(2));
    let signed = ours.sign("{\"what\":\"happened\"}\n").expect("signs");
    assert_eq!(note::verify(&signed, &[&vkey]), Ok("{\"what\":\"happened\"}\n".to_owned()));
    assert_eq!(note::verify(&signed, &[&other, &vkey]), Ok("{\"what\":\"happened\"}\n".to_owned()), "retired keys stand beside it");
    assert_eq!(note::verify(&signed, &[&other]), Err(NoteProblem::Unknown));
    assert_eq!(note::verify(&signed.replace("happened", "happens!"), &[&vkey]), Err(NoteProblem::Forged("cairn.example.org/trail".into())));
    assert_eq!(note::verify("no note at all", &[&vkey]), Err(NoteProblem::Malformed));
    assert!(matches!(note::verify(&signed, &["cairn+1234"]), Err(NoteProblem::Key(_))));
    assert_eq!(ours.sign("no line break"), Err(NoteProblem::Malformed));
}

#[test]
fn a_key_goes_by_the_address_that_others_use() {
    assert_eq!(note::key_name("https://cairn.example.org"), "cairn.example.org/trail");
    assert_eq!(note::key_name("http://127.0.0.1:8080/"), "127.0.0.1:8080/trail");
    assert_eq!(note::key_name("http://a+b c/x"), "a-b-c/x/trail");
}
