//! Which repository and which branch we speak of, in the words that everybody uses.

use crate::{arguments::CodeNames, failure::Failure, repository::Repository, scan::git::Git};
use std::env;

pub struct Place {
    pub git: Git,
    pub repo: String,
    pub branch: String,
    /// The one that memories are judged on unless another is asked for, as far as we know.
    pub default_branch: Option<String>,
    /// Somebody said which branch it is.
    said: bool,
}

impl Place {
    pub fn find(repository: &Repository, names: &CodeNames) -> Result<Self, Failure> {
        let Some(root) = &repository.root else {
            return Err(Failure::Usage(
                "there is no git repository here: `cairn scan` looks at any folder, a sync needs commits".to_owned(),
            ));
        };
        let git = Git::at(root);
        let folder = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let chosen = names.repo.clone().or_else(|| repository.settings.repo.clone());
        let repo = chosen.or_else(|| git.remote().and_then(|url| from_remote(&url))).unwrap_or_else(|| plain(&folder));
        let branch = names
            .branch
            .clone()
            .or_else(|| git.branch())
            .or_else(branch_in_ci)
            .ok_or_else(|| Failure::Usage("no branch is checked out: say which one this is with `--branch NAME`".to_owned()))?;
        let default_branch = names.default_branch.clone().or_else(|| git.default_branch());
        Ok(Self { git, repo, branch, default_branch, said: names.branch.is_some() })
    }

    /// Another branch may have been checked out.
    pub fn renew(&mut self) {
        if let Some(branch) = self.git.branch().filter(|_| !self.said) {
            self.branch = branch;
        }
    }
}

/// CI checks out commits, not branches; GitHub and GitLab say which it was.
fn branch_in_ci() -> Option<String> {
    ["GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_BRANCH"]
        .iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()))
}

/// `git@host:acme/api.git` and `https://host/acme/api` are `acme/api`.
fn from_remote(url: &str) -> Option<String> {
    let path = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?.1,
        None if url.starts_with(['/', '.', '~']) => return None,
        None => url.split_once(':')?.1,
    };
    let path = path.trim_matches('/');
    let name = plain(path.strip_suffix(".git").unwrap_or(path));
    Some(name).filter(|name| !name.is_empty())
}

/// What a repository's name may consist of.
fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || "-_./ @+".contains(c) { c } else { '-' }).collect();
    let parts = plain.split('/').map(str::trim).filter(|part| !matches!(*part, "" | "." | ".."));
    parts.collect::<Vec<_>>().join("/").chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_has_a_name_that_all_its_clones_share() {
        for url in ["git@host.example:acme/api.git", "https://me:secret@host.example/acme/api.git/", "ssh://git@host.example:22/acme/api"] {
            assert_eq!(from_remote(url).as_deref(), Some("acme/api"), "{url}");
        }
        assert_eq!(from_remote("../elsewhere"), None);
        assert_eq!(from_remote("/srv/git/api.git"), None);
        assert_eq!(plain("a/../b:c"), "a/b-c");
    }
}
