//! The block in AGENTS.md, CLAUDE.md and the like: what an agent does with its memory, between two marks.

const BEGIN: &str = "<!-- cairn:begin -->";
const END: &str = "<!-- cairn:end -->";

const TEXT: &str = "## Memory: Cairn

This project has a memory that outlives your session: `cairn`. What you do is recorded by hooks; what you *learn* you write down.

- **At the start** read the brief. If none was given to you, run `cairn context`. Decisions in it are binding: follow them, and if one must change, say so to the person first. Do not redo what is completed. Working on a task? `cairn task resume KEY`.
- **Before you search or ask**, run `cairn recall \"your question\"`. What is marked stale or suspect: check it against the code before you rely on it.
- **Write down at once**: what was decided and why (`cairn remember --kind decision \"…\"`), how this codebase does things (`--kind pattern`), what cost time to find out (`--kind discovery`), what a person wants (`--kind preference`). One thing each, with `--anchor PATH#SYMBOL` where it is about code. No secrets.
- **Checkpoint** when a step is completed, before a risky change, before the context is compacted, and when you stop: `cairn checkpoint --done \"…\" --doing \"…\" --todo \"…\" --decision \"…\" --found \"…\" --next \"…\"`.
- Exit code 5 with `decision_conflict`: a decision that stands says otherwise. Follow it, or replace it with `--supersedes ID` once a person agreed.
";

pub fn added_to(text: &str) -> String {
    let block = format!("{BEGIN}\n{TEXT}{END}\n");
    if let Some((before, after)) = around(text) {
        return format!("{before}{block}{after}");
    }
    let gap = match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{block}")
}

/// Without the block, and without the empty line that came with it.
pub fn removed_from(text: &str) -> String {
    let Some((before, after)) = around(text) else { return text.to_owned() };
    let before = if before.ends_with("\n\n") { &before[..before.len() - 1] } else { before };
    if after.is_empty() || before.is_empty() {
        return format!("{before}{}", after.trim_start_matches('\n'));
    }
    format!("{before}{after}")
}

fn around(text: &str) -> Option<(&str, &str)> {
    let begin = text.find(BEGIN)?;
    let end = begin + text[begin..].find(END)? + END.len();
    let after = &text[end..];
    Some((&text[..begin], after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_comes_and_goes_and_nothing_else_does() {
        for text in ["", "# Rules\n", "# Rules\n\nBe kind.\n"] {
            assert_eq!(removed_from(&added_to(text)), text);
        }
    }

    #[test]
    fn a_block_that_is_there_is_renewed_in_its_place() {
        let old = format!("# Rules\n\n{BEGIN}\nold words\n{END}\n\n# After\n");
        let new = added_to(&old);
        assert!(!new.contains("old words") && new.starts_with("# Rules\n\n<!-- cairn:begin") && new.ends_with("\n\n# After\n"));
        assert_eq!(added_to(&new), new);
    }
}
