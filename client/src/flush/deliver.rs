//! One batch of records to the server: sessions started, events in bulk, checkpoints and ends in their place.

use crate::{
    briefs::Briefs,
    failure::Failure,
    server::{Answer, Server},
    spool::{Event, Origin, Record, RunningSessions, Spool, What, reject},
};
use serde_json::{Value, json};

pub struct Delivery {
    spool: Spool,
    destination: String,
    server: Server,
    sessions: RunningSessions,
}

/// What becomes of something that was refused.
#[derive(PartialEq)]
enum Verdict {
    /// It may go through: stop here and keep everything.
    Later,
    Never,
}

impl Delivery {
    pub fn new(spool: Spool, destination: &str, server: Server) -> Self {
        let sessions = RunningSessions::of(&spool);
        sessions.tidy();
        Self { spool, destination: destination.to_owned(), server, sessions }
    }

    /// All of it, or an error and none of it counts as delivered: ids make the repetition harmless. Answers the sessions
    /// that are over.
    pub fn send(&mut self, records: Vec<Record>) -> Result<Vec<Origin>, Failure> {
        let mut over = Vec::new();
        for session in by_session(records) {
            let mut events: Vec<Record> = Vec::new();
            for record in session {
                if matches!(record.what, What::Event(_)) {
                    events.push(record);
                    continue;
                }
                self.events(std::mem::take(&mut events))?;
                self.other(&record)?;
                if record.what == What::End {
                    over.push(record.origin);
                }
            }
            self.events(events)?;
        }
        Ok(over)
    }

    /// After the position is safe: a replay before that must find the session that it ended.
    pub fn forget(&self, over: &[Origin]) {
        for origin in over {
            self.sessions.ended(origin);
        }
    }

    fn events(&self, events: Vec<Record>) -> Result<(), Failure> {
        let Some(first) = events.first() else { return Ok(()) };
        let body = json!({"events": events.iter().filter_map(Record::event_body).collect::<Vec<Value>>()});
        let Err(failure) = self.in_session(&first.origin, "events", &body, None) else {
            self.sessions.seen(&first.origin);
            return Ok(());
        };
        if verdict(&failure) == Verdict::Later {
            return Err(failure);
        }
        // One bad event must not take the others with it.
        if events.len() > 1 && (matches!(failure.status(), Some(400 | 413 | 422)) || is_erased(&failure)) {
            let mut events = events;
            let second = events.split_off(events.len() / 2);
            self.events(events)?;
            return self.events(second);
        }
        self.set_aside(&events, &failure)
    }

    fn other(&self, record: &Record) -> Result<(), Failure> {
        let sent = match &record.what {
            What::Start => self.session(&record.origin).map(|_| ()),
            What::Checkpoint(body) => self.checkpoint(record, body),
            What::End => match self.in_session(&record.origin, "end", &json!({}), None) {
                // Ended before, by a replay or by the server's own clock.
                Err(failure) if is_closed(&failure, "end") => Ok(()),
                sent => sent,
            },
            What::Event(_) => Ok(()),
        };
        match sent {
            Err(failure) if verdict(&failure) == Verdict::Never => self.set_aside(std::slice::from_ref(record), &failure),
            sent => sent,
        }
    }

    fn checkpoint(&self, record: &Record, body: &Value) -> Result<(), Failure> {
        let sent = self.in_session(&record.origin, "checkpoints", body, Some(&record.id));
        match (&sent, body["text"].as_str()) {
            // Words with nothing to sort into decisions, progress or a next step are still worth a line in the log.
            (Err(failure), Some(text)) if failure.status() == Some(422) => {
                let note = Event { r#type: "note".to_owned(), text: Some(text.to_owned()), ..Event::default() };
                self.events(vec![Record { what: What::Event(Box::new(note)), ..record.clone() }])
            }
            _ => sent,
        }
    }

    /// A session that is gone, or was closed meanwhile, is started anew, once.
    fn in_session(&self, origin: &Origin, what: &str, body: &Value, once: Option<&str>) -> Result<(), Failure> {
        let to = self.server_of(origin);
        let deliver = |id: &str| -> Result<(), Failure> {
            let path = format!("/sessions/{id}/{what}");
            let answer = match once {
                Some(key) => to.post_once(&path, body, key),
                None => to.post(&path, body),
            }?;
            must_be_ours(&answer, what)?;
            Briefs::of(&self.destination, origin.workspace.as_deref()).heed(&answer.json);
            Ok(())
        };
        let known = self.sessions.get(origin);
        let id = self.session(origin)?;
        match deliver(&id) {
            Err(failure) if known.is_some() && what != "end" && is_closed(&failure, what) => {
                self.sessions.ended(origin);
                deliver(&self.session(origin)?)
            }
            sent => sent,
        }
    }

    /// The server's id of a session, which is started if it is not known to run.
    fn session(&self, origin: &Origin) -> Result<String, Failure> {
        if let Some(running) = self.sessions.get(origin) {
            return Ok(running.id);
        }
        let mut body = json!({"agent_tool": origin.tool, "external_id": origin.session});
        let parts = [
            ("project", &origin.project),
            ("task", &origin.task),
            ("branch", &origin.branch),
            ("commit", &origin.commit),
            ("cwd", &origin.cwd),
        ];
        for (name, value) in parts {
            if let Some(value) = value {
                body[name] = json!(value);
            }
        }
        let server = self.server_of(origin);
        let answer = match server.post("/sessions", &body) {
            // The task is over, somewhere else; the session is not.
            Err(failure) if failure.status() == Some(409) && origin.task.is_some() => {
                body["task"] = Value::Null;
                server.post("/sessions", &body)?
            }
            answer => answer?,
        };
        let Some(id) = answer.json["id"].as_str() else {
            return Err(Failure::Away("its answer to a new session has no id".to_owned()));
        };
        self.sessions.started(origin, id).map_err(|wrong| Failure::file("write", &self.spool.folder, &wrong))?;
        Ok(id.to_owned())
    }

    fn server_of(&self, origin: &Origin) -> Server {
        self.server.clone().in_workspace(origin.workspace.as_deref())
    }

    fn set_aside(&self, records: &[Record], failure: &Failure) -> Result<(), Failure> {
        reject(&self.spool, records, &failure.short()).map_err(|wrong| Failure::file("write", &self.spool.folder, &wrong))
    }
}

/// Whatever else stands at this address – a page to sign in, a proxy's greeting – may say 200 to anything.
fn must_be_ours(answer: &Answer, what: &str) -> Result<(), Failure> {
    let told = match what {
        "events" => "appended",
        "checkpoints" => "id",
        _ => "session",
    };
    if answer.json[told].is_null() {
        return Err(Failure::Away(format!("its answer has no `{told}`: is something else at this address?")));
    }
    Ok(())
}

/// Something in it was erased and may not come back.
fn is_erased(failure: &Failure) -> bool {
    matches!(failure, Failure::Refused(problem) if problem.code == "content_erased")
}

/// The session is not there, or not open any more.
fn is_closed(failure: &Failure, what: &str) -> bool {
    let Failure::Refused(problem) = failure else { return false };
    match problem.status {
        _ if !problem.is_ours() => false,
        404 | 410 => true,
        409 if is_erased(failure) => false,
        409 => what == "events" || problem.code.contains("session"),
        _ => false,
    }
}

fn verdict(failure: &Failure) -> Verdict {
    let Failure::Refused(problem) = failure else { return Verdict::Later };
    match problem.status {
        401 | 408 | 425 | 429 | 500.. => Verdict::Later,
        // About what was sent, whoever says it.
        400 | 413 | 422 => Verdict::Never,
        _ if problem.is_ours() => Verdict::Never,
        // Something else answers at this address: what it thinks of ours is no verdict.
        _ => Verdict::Later,
    }
}

/// In the order in which they began; within one, in the order of the spool.
fn by_session(records: Vec<Record>) -> Vec<Vec<Record>> {
    let mut sessions: Vec<Vec<Record>> = Vec::new();
    for record in records {
        match sessions.iter_mut().find(|one| one[0].origin.key() == record.origin.key()) {
            Some(session) => session.push(record),
            None => sessions.push(vec![record]),
        }
    }
    sessions
}
