//! Two versions side by side: changed fields, and changed lines with a little of what is around them.

/// Unchanged lines kept on either side of a change.
const CONTEXT: usize = 3;

#[derive(Clone, Debug, Default)]
pub struct Compare {
    pub from: i32,
    pub to: i32,
    /// Title, kind, tags and so on, where they differ.
    pub fields: Vec<FieldChange>,
    /// All lines of both texts; long unchanged runs are folded here.
    pub lines: Vec<DiffLine>,
    /// Why there are no lines to show, such as an erased version.
    pub note: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct FieldChange {
    pub field: String,
    pub from: String,
    pub to: String,
}

#[derive(Clone, Debug)]
pub struct DiffLine {
    pub kind: DiffKind,
    /// Line numbers, from 1.
    pub old: Option<usize>,
    pub new: Option<usize>,
    pub segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffKind {
    Equal,
    Insert,
    Delete,
}

#[derive(Clone, Debug, Default)]
pub struct Segment {
    pub text: String,
    pub emphasised: bool,
}

/// Lines that belong together, after a number of unchanged ones left out.
pub struct Hunk<'a> {
    pub skipped: usize,
    pub lines: Vec<&'a DiffLine>,
}

impl Compare {
    fn changed(&self) -> bool {
        self.lines.iter().any(|line| line.kind != DiffKind::Equal)
    }

    pub(crate) fn is_same(&self) -> bool {
        !self.changed() && self.fields.is_empty() && self.note.is_none()
    }

    pub(crate) fn hunks(&self) -> Vec<Hunk<'_>> {
        let mut hunks = Vec::new();
        let mut open = Hunk { skipped: 0, lines: Vec::new() };
        for (place, line) in self.lines.iter().enumerate() {
            if self.is_near_a_change(place) {
                open.lines.push(line);
            } else {
                if !open.lines.is_empty() {
                    hunks.push(std::mem::replace(&mut open, Hunk { skipped: 0, lines: Vec::new() }));
                }
                open.skipped += 1;
            }
        }
        hunks.push(open);
        hunks.retain(|hunk| hunk.skipped > 0 || !hunk.lines.is_empty());
        if self.changed() { hunks } else { Vec::new() }
    }

    fn is_near_a_change(&self, place: usize) -> bool {
        let end = (place + CONTEXT + 1).min(self.lines.len());
        let near = &self.lines[place.saturating_sub(CONTEXT)..end];
        near.iter().any(|line| line.kind != DiffKind::Equal)
    }
}

impl DiffKind {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Insert => "insert",
            Self::Delete => "delete",
        }
    }

    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Equal => "",
            Self::Insert => "+",
            Self::Delete => "−",
        }
    }
}

impl DiffLine {
    /// A line without emphasis.
    pub fn plain(kind: DiffKind, old: Option<usize>, new: Option<usize>, text: impl Into<String>) -> Self {
        Self { kind, old, new, segments: vec![Segment { text: text.into(), emphasised: false }] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(kinds: &[DiffKind]) -> Compare {
        let lines = kinds.iter().map(|kind| DiffLine::plain(*kind, None, None, "line")).collect();
        Compare { lines, ..Compare::default() }
    }

    #[test]
    fn long_unchanged_runs_are_folded() {
        let mut kinds = vec![DiffKind::Equal; 20];
        kinds[10] = DiffKind::Insert;
        let compare = compare(&kinds);
        let shape: Vec<_> = compare.hunks().iter().map(|hunk| (hunk.skipped, hunk.lines.len())).collect();
        assert_eq!(shape, [(7, 7), (6, 0)]);
    }

    #[test]
    fn two_equal_texts_have_nothing_to_show() {
        let same = compare(&[DiffKind::Equal; 4]);
        assert!(same.is_same() && same.hunks().is_empty());
    }
}
