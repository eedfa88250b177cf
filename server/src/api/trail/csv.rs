//! The trail as CSV (RFC 4180). What a spreadsheet would take for a formula is made plain text.

use crate::{acts::seal::Exported, model::text};
use time::format_description::well_known::Rfc3339;

const COLUMNS: [&str; 15] = [
    "index",
    "id",
    "at",
    "actor_type",
    "actor_id",
    "actor_name",
    "role",
    "action",
    "target_type",
    "target_id",
    "version",
    "request_id",
    "session_id",
    "digest",
    "details",
];

pub fn header() -> String {
    line(COLUMNS.map(str::to_owned))
}

pub fn row(one: &Exported) -> String {
    let Exported { entry, index, .. } = one;
    let shown = |value: Option<&dyn ToString>| value.map(ToString::to_string).unwrap_or_default();
    let target = entry.target.as_ref();
    line([
        index.to_string(),
        entry.id.to_string(),
        entry.at.format(&Rfc3339).unwrap_or_default(),
        entry.actor.kind.word().to_owned(),
        entry.actor.id.to_string(),
        entry.actor.name.clone(),
        entry.role.map(|role| role.word().to_owned()).unwrap_or_default(),
        entry.action.clone(),
        target.map(|(kind, _)| kind.clone()).unwrap_or_default(),
        shown(target.map(|(_, id)| id as &dyn ToString)),
        shown(entry.version.as_ref().map(|version| version as &dyn ToString)),
        entry.request_id.clone(),
        shown(entry.session_id.as_ref().map(|id| id as &dyn ToString)),
        entry.digest.as_deref().map(text::hex).unwrap_or_default(),
        shown(entry.details.as_ref().map(|details| details as &dyn ToString)),
    ])
}

/// The signed checkpoint, in the second column.
pub fn last_row(checkpoint: &str) -> String {
    line(std::array::from_fn(|column| match column {
        0 => "checkpoint".to_owned(),
        1 => checkpoint.to_owned(),
        _ => String::new(),
    }))
}

fn line(cells: [String; COLUMNS.len()]) -> String {
    cells.map(|text| cell(&text)).join(",") + "\r\n"
}

/// An apostrophe before what would be a formula: spreadsheets show such a cell as it is and compute nothing.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r', ';', '\t']) || formula { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn nothing_is_a_formula_and_nothing_breaks_out_of_its_cell() {
        for (text, written) in [
            ("plain", "plain"),
            ("", ""),
            ("=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""),
            ("+1", "\"'+1\""),
            ("-2+3", "\"'-2+3\""),
            ("@sum", "\"'@sum\""),
            ("\t=1", "\"'\t=1\""),
            ("\r=1", "\"'\r=1\""),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("a=b", "a=b"),
        ] {
            assert_eq!(cell(text), written);
        }
    }
}
