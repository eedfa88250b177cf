//! What is known of code: the newest picture of each branch, what it makes of anchors, and files that runs use together.

mod packed;
mod pairs;
mod snapshots;
mod verdicts;

pub use pairs::{companions, put_pairs, ties};
pub use snapshots::{
    Seen, children, digests, drop_parts, files, files_of_each, heads, hold, is_coming, known_branch, known_parts, like_these, list,
    main_of, open, outlived, put_default, put_files, put_head, put_part, remove, set_main,
};
pub use verdicts::{
    Anchor, Change, Hung, Judging, anchors, branch_of_run, first_seen, forget, hung_on, judge_on, put, side_branch_of_run, texts, unsay,
};
