//! Single sign-on: where the provider is, who we are to it, and which of its groups is what here.

use super::{ConfigProblem, Secret, wrong};
use crate::model::{Role, Slug};
use reqwest::Url;

const ISSUER: &str = "CAIRN_OIDC_ISSUER";
const CLIENT_ID: &str = "CAIRN_OIDC_CLIENT_ID";
const CLIENT_SECRET: &str = "CAIRN_OIDC_CLIENT_SECRET";
const ROLE_MAP: &str = "CAIRN_OIDC_ROLE_MAP";

#[derive(Clone, Debug)]
pub struct Oidc {
    issuer: Url,
    /// As it was given: it has to be what the provider says of itself, to the letter.
    issuer_text: String,
    pub client_id: String,
    pub client_secret: Secret,
    pub role_map: Vec<Grant>,
}

/// Who is in this group has this role in this workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    pub group: String,
    pub workspace: String,
    pub role: Role,
}

impl Oidc {
    /// As the provider says it of itself.
    pub fn issuer(&self) -> &str {
        &self.issuer_text
    }

    pub fn url(&self) -> &Url {
        &self.issuer
    }

    /// What somebody in these groups is, by workspace: of several roles in one, the one that may most.
    pub fn granted(&self, groups: &[String]) -> Vec<(&str, Role)> {
        let mut granted: Vec<(&str, Role)> = Vec::new();
        for grant in self.role_map.iter().filter(|grant| groups.contains(&grant.group)) {
            match granted.iter_mut().find(|(workspace, _)| *workspace == grant.workspace) {
                Some((_, role)) if role.within(grant.role) => *role = grant.role,
                Some(_) => {}
                None => granted.push((&grant.workspace, grant.role)),
            }
        }
        granted
    }

    /// Every workspace that some group opens.
    pub fn mapped(&self) -> impl Iterator<Item = &str> {
        let mut seen = std::collections::BTreeSet::new();
        self.role_map.iter().map(|grant| grant.workspace.as_str()).filter(move |workspace| seen.insert(*workspace))
    }
}

/// All of it, or none. The values are not repeated: the secret is one.
pub fn oidc(
    issuer: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    role_map: Option<&str>,
) -> Result<Option<Oidc>, ConfigProblem> {
    let Some(text) = issuer.map(|issuer| issuer.trim().to_owned()) else {
        for (setting, said) in [(CLIENT_ID, client_id.is_some()), (CLIENT_SECRET, client_secret.is_some()), (ROLE_MAP, role_map.is_some())]
        {
            if said {
                return wrong(setting, format!("is for single sign-on, and {ISSUER} names no provider"));
            }
        }
        return Ok(None);
    };
    let Some(url) = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) else {
        return wrong(ISSUER, "is not a URL such as https://login.example.org/realms/staff");
    };
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
        return wrong(ISSUER, "must be a plain URL, without a user, a password or anything after ?");
    }
    if url.scheme() == "http" && !is_this_machine(&url) {
        return wrong(ISSUER, "must be https: whoever listens in could sign in as anybody");
    }
    let Some(client_id) = client_id.map(|id| id.trim().to_owned()) else {
        return wrong(CLIENT_ID, format!("is missing beside {ISSUER}"));
    };
    let Some(client_secret) = client_secret else {
        return wrong(CLIENT_SECRET, format!("is missing beside {ISSUER}"));
    };
    let role_map = role_map.map(grants).transpose()?.unwrap_or_default();
    Ok(Some(Oidc { issuer: url, issuer_text: text, client_id, client_secret: Secret(client_secret), role_map }))
}

/// `group=workspace:role`, with commas or line breaks between. A group may have `=` and `:` in its name; slugs and roles have not.
fn grants(text: &str) -> Result<Vec<Grant>, ConfigProblem> {
    let entries = text.split([',', '\n']).map(str::trim).filter(|entry| !entry.is_empty());
    let grants: Vec<Grant> = entries.map(grant).collect::<Result<_, _>>()?;
    if grants.is_empty() {
        return wrong(ROLE_MAP, "is empty; write group=workspace:role, with commas between");
    }
    Ok(grants)
}

fn grant(entry: &str) -> Result<Grant, ConfigProblem> {
    let parts = entry.rsplit_once('=').and_then(|(group, right)| Some((group.trim(), right.rsplit_once(':')?)));
    let Some((group, (workspace, role))) = parts.filter(|(group, _)| !group.is_empty()) else {
        return wrong(ROLE_MAP, format!("`{entry}` is not group=workspace:role, such as developers=coding:writer"));
    };
    let Ok(slug) = Slug::parse(workspace.trim()) else {
        return wrong(ROLE_MAP, format!("`{}` in `{entry}` is not the short name of a workspace", workspace.trim()));
    };
    let Ok(role) = role.trim().parse() else {
        return wrong(ROLE_MAP, format!("`{}` in `{entry}` is no role: reader, writer, reviewer, auditor or admin", role.trim()));
    };
    Ok(Grant { group: group.to_owned(), workspace: slug.as_str().to_owned(), role })
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_and_the_secret_is_not_repeated() {
        let some = |text: &str| Some(text.to_owned());
        let issuer = || some("https://login.example.org");
        for (issuer, id, secret, map, named) in [
            (None, some("cairn"), None, None, "CAIRN_OIDC_CLIENT_ID: "),
            (None, None, some("hidden"), None, "CAIRN_OIDC_CLIENT_SECRET: "),
            (None, None, None, Some("a=b:reader"), "CAIRN_OIDC_ROLE_MAP: "),
            (some("hidden"), some("cairn"), some("hidden"), None, "CAIRN_OIDC_ISSUER: "),
            (some("http://login.example.org"), some("cairn"), some("hidden"), None, "CAIRN_OIDC_ISSUER: "),
            (some("https://login.example.org?x=hidden"), some("cairn"), some("hidden"), None, "CAIRN_OIDC_ISSUER: "),
            (issuer(), None, some("hidden"), None, "CAIRN_OIDC_CLIENT_ID: "),
            (issuer(), some("cairn"), None, None, "CAIRN_OIDC_CLIENT_SECRET: "),
            (issuer(), some("cairn"), some("hidden"), Some("developers"), "CAIRN_OIDC_ROLE_MAP: "),
            (issuer(), some("cairn"), some("hidden"), Some("developers=coding:owner"), "CAIRN_OIDC_ROLE_MAP: "),
            (issuer(), some("cairn"), some("hidden"), Some("developers=Coding Team:reader"), "CAIRN_OIDC_ROLE_MAP: "),
            (issuer(), some("cairn"), some("hidden"), Some(" , "), "CAIRN_OIDC_ROLE_MAP: "),
        ] {
            let told = oidc(issuer, id, secret, map).unwrap_err().to_string();
            assert!(told.starts_with(named) && !told.contains("hidden"), "{told}");
        }
        assert!(oidc(None, None, None, None).unwrap().is_none());
    }

    #[test]
    fn of_several_groups_the_role_that_may_most_counts() {
        let some = |text: &str| Some(text.to_owned());
        let map = "devs=coding:writer, leads=coding:reviewer\ncn=all,ou=x=support:reader, auditors=coding:auditor";
        let made =
            oidc(some("http://localhost:1"), some("cairn"), some("s"), Some(&map.replace("cn=all,ou=x", "cn=all;ou=x"))).unwrap().unwrap();
        let groups = ["devs", "leads", "cn=all;ou=x"].map(str::to_owned);
        assert_eq!(made.granted(&groups), [("coding", Role::Reviewer), ("support", Role::Reader)]);
        assert_eq!(made.granted(&["nobody".to_owned()]), []);
        assert_eq!(made.mapped().collect::<Vec<_>>(), ["coding", "support"]);
        assert!(!format!("{made:?}").contains("\"s\""));
    }
}
