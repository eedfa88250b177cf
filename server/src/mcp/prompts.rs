//! Prompts for the two moments that matter: a session starts, and its context is about to be cut.

use super::{
    asker::{Asker, read},
    tools,
};
use crate::{model::Power, problem::Problem};
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde::Deserialize;

pub const SESSION_START: &str = "session_start";
pub const BEFORE_COMPACTION: &str = "before_compaction";

/// Those that the asker can follow: who may not write has nothing to save.
pub fn list(asker: &Asker) -> Vec<Prompt> {
    let argument = |name: &str, said: &str| PromptArgument::new(name).with_description(said).with_required(false);
    let mut prompts = vec![
        Prompt::new(
            SESSION_START,
            Some("The brief to start with: next step, open work, binding decisions, and how to use this memory."),
            Some(vec![
                argument("project", "The project that is worked on."),
                argument("task", "The key of the task that is worked on; without one, the last."),
            ]),
        )
        .with_title("Start with what the team knows"),
    ];
    if asker.may(Power::Writing) {
        prompts.push(
            Prompt::new(
                BEFORE_COMPACTION,
                Some("Asks for a checkpoint of everything that must outlive this context."),
                Some(vec![
                    argument("task", "The key of the task that is worked on."),
                    argument("session_id", "The session, if it is known."),
                ]),
            )
            .with_title("Save before the context is cut"),
        );
    }
    prompts
}

/// A prompt by its name; nothing when there is none.
pub async fn get(asker: &Asker, name: &str, sent: Option<JsonObject>) -> Result<Option<GetPromptResult>, Problem> {
    let (description, text) = match name {
        SESSION_START => ("The brief for this session.", session_start(asker, sent).await?),
        BEFORE_COMPACTION if asker.may(Power::Writing) => ("What to save now.", before_compaction(read(sent)?)?),
        _ => return Ok(None),
    };
    let message = PromptMessage::new_text(Role::User, text);
    Ok(Some(GetPromptResult::new(vec![message]).with_description(description)))
}

async fn session_start(asker: &Asker, sent: Option<JsonObject>) -> Result<String, Problem> {
    let told = tools::brief(asker, &read(sent)?).await?;
    let writes = if asker.may(Power::Writing) {
        " Write down decisions and discoveries with remember as they come, and a checkpoint after every piece of finished work."
    } else {
        ""
    };
    let brief = told.markdown.trim_end();
    let cost = format!("{} tokens, {} lines left out. Receipt {}.", told.tokens, told.omitted, told.receipt_id);
    Ok(format!("{brief}\n{cost}\nKeep to the decisions that bind. Recall before you decide or look something up.{writes}"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Compaction {
    task: Option<String>,
    session_id: Option<crate::model::SessionId>,
}

fn before_compaction(sent: Compaction) -> Result<String, Problem> {
    let task = sent.task.as_deref().map(crate::model::sessions::task_key).transpose()?;
    let work = match (task, sent.session_id) {
        (_, Some(session)) => format!(" with session_id {session}"),
        (Some(task), None) => format!(" with task {task}"),
        (None, None) => String::new(),
    };
    Ok(format!(
        "Your context is about to be cut. Before anything else call checkpoint{work}, with everything that must not be lost: \
         decisions and their reasons, what must not be touched, what is completed, what is half done and where exactly, what you \
         found out, and the next step. Then answer with the next step in one line."
    ))
}
