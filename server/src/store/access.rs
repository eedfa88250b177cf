//! Who a credential belongs to, and where they stand: found through the gate, before there is a workspace to
//! stand in. One statement each, the same whether the workspace is theirs, another's or nowhere.

use super::{connect::Db, scope::Standing};
use crate::{
    model::{Actor, AgentId, KeyId, LoginId, PersonId, Project, Role, Settings, Workspace, WorkspaceId, access::Person},
    problem::Problem,
};
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

/// What the gate found for a key's id; whether the secret fits is for `auth` to say.
#[derive(Clone, Debug)]
pub struct FoundKey {
    pub key: KeyId,
    pub agent: AgentId,
    pub secret_hash: Vec<u8>,
    pub expires_at: Option<OffsetDateTime>,
    /// When it was last used; noted again at most once a minute.
    pub last_used_at: Option<OffsetDateTime>,
    pub standing: Standing,
}

/// What the gate found for a sign-in that has not ended.
#[derive(Clone, Debug)]
pub struct FoundLogin {
    pub login: LoginId,
    pub person: Person,
    /// When it was last used; noted again at most once a minute.
    pub last_used_at: OffsetDateTime,
}

impl Db {
    pub async fn find_key(&self, key: KeyId) -> Result<Option<FoundKey>, Problem> {
        let mut gate = self.gate_hand().await?;
        let row = sqlx::query!(
            r#"select k.secret_hash, k.expires_at, k.last_used_at, a.id as agent_id, a.name, a.role as "role: Role", a.project, a.owner_id, a.made_by,
                      w.id as workspace_id, w.slug, w.name as workspace_name, w.purpose, w.settings as "settings: Json<Settings>", w.pictured, w.created_at
               from agent_keys k
               join agents a on a.workspace_id = k.workspace_id and a.id = k.agent_id
               join workspaces w on w.id = k.workspace_id
               where k.id = $1 and k.revoked_at is null and a.deleted_at is null and w.deleted_at is null"#,
            key.0
        )
        .fetch_optional(&mut *gate)
        .await?;
        gate.lay_down();
        Ok(row.map(|row| FoundKey {
            key,
            agent: AgentId(row.agent_id),
            secret_hash: row.secret_hash,
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
            standing: Standing {
                workspace: Workspace {
                    id: WorkspaceId(row.workspace_id),
                    slug: row.slug,
                    name: row.workspace_name,
                    purpose: row.purpose,
                    settings: row.settings.0,
                    created_at: row.created_at,
                },
                actor: Actor::agent(AgentId(row.agent_id), row.name),
                role: row.role,
                project: row.project.as_deref().and_then(|project| Project::parse(project).ok()),
                person: row.owner_id.map(PersonId),
                answers_for: PersonId(row.made_by),
                pictured: row.pictured,
            },
        }))
    }

    /// The house itself, in each of its workspaces, for work that nobody asked for.
    pub async fn house_standings(&self) -> Result<Vec<Standing>, Problem> {
        let rows = sqlx::query!(
            r#"select id, slug, name, purpose, settings as "settings: Json<Settings>", pictured, created_at from workspaces where deleted_at is null order by id"#
        )
        .fetch_all(self.gate())
        .await?;
        let standing = rows.into_iter().map(|row| Standing {
            workspace: Workspace {
                id: WorkspaceId(row.id),
                slug: row.slug,
                name: row.name,
                purpose: row.purpose,
                settings: row.settings.0,
                created_at: row.created_at,
            },
            actor: Actor::system(),
            role: Role::Writer,
            project: None,
            person: None,
            answers_for: PersonId(Uuid::nil()),
            pictured: row.pictured,
        });
        Ok(standing.collect())
    }

    pub async fn note_use(&self, key: KeyId) -> Result<(), Problem> {
        sqlx::query!("update agent_keys set last_used_at = now() where id = $1", key.0).execute(self.gate()).await?;
        Ok(())
    }

    pub async fn note_login_use(&self, login: LoginId) -> Result<(), Problem> {
        sqlx::query!("update logins set last_used_at = now() where id = $1", login.0).execute(self.gate()).await?;
        Ok(())
    }

    pub async fn find_login(&self, login: LoginId) -> Result<Option<FoundLogin>, Problem> {
        let row = sqlx::query!(
            r#"select p.id as "id: PersonId", p.email, p.name, p.instance_admin, p.created_at, l.last_used_at
               from logins l
               join people p on p.id = l.person_id
               where l.id = $1 and l.ended_at is null and l.expires_at > now() and p.deleted_at is null"#,
            login.0
        )
        .fetch_optional(self.gate())
        .await?;
        Ok(row.map(|row| {
            let person =
                Person { id: row.id, email: row.email, name: row.name, instance_admin: row.instance_admin, created_at: row.created_at };
            FoundLogin { login, person, last_used_at: row.last_used_at }
        }))
    }

    /// Where a signed-in person stands in the workspace named by slug or id: the login, and the standing if there is one.
    pub async fn find_member(&self, login: LoginId, workspace: &str) -> Result<Option<(FoundLogin, Option<Standing>)>, Problem> {
        let id = Uuid::parse_str(workspace).ok();
        let row = sqlx::query!(
            r#"select p.id as person_id, p.email, p.name, p.instance_admin, p.created_at, l.last_used_at,
                      m.role as "role?: Role", w.id as "workspace_id?", w.slug as "slug?", w.name as "workspace_name?", w.purpose as "purpose?",
                      w.settings as "settings?: Json<Settings>", w.pictured as "pictured?", w.created_at as "workspace_created_at?"
               from logins l
               join people p on p.id = l.person_id
               left join (members m join workspaces w on w.id = m.workspace_id and w.deleted_at is null)
                   on m.person_id = p.id and m.removed_at is null and (w.slug = $2 or w.id = $3)
               where l.id = $1 and l.ended_at is null and l.expires_at > now() and p.deleted_at is null"#,
            login.0,
            workspace,
            id
        )
        .fetch_optional(self.gate())
        .await?;
        Ok(row.map(|row| {
            let person = Person {
                id: PersonId(row.person_id),
                email: row.email,
                name: row.name,
                instance_admin: row.instance_admin,
                created_at: row.created_at,
            };
            let workspace = (|| {
                Some(Workspace {
                    id: WorkspaceId(row.workspace_id?),
                    slug: row.slug?,
                    name: row.workspace_name?,
                    purpose: row.purpose?,
                    settings: row.settings?.0,
                    created_at: row.workspace_created_at?,
                })
            })();
            let standing = workspace.zip(row.role).map(|(workspace, role)| Standing {
                workspace,
                actor: Actor::person(person.id, person.name.clone()),
                role,
                project: None,
                person: Some(person.id),
                answers_for: person.id,
                pictured: row.pictured.unwrap_or(true),
            });
            (FoundLogin { login, person, last_used_at: row.last_used_at }, standing)
        }))
    }

    /// The workspaces a person may enter, by name.
    pub async fn workspaces_of(&self, person: PersonId) -> Result<Vec<(Workspace, Role)>, Problem> {
        let rows = sqlx::query!(
            r#"select w.id, w.slug, w.name, w.purpose, w.settings as "settings: Json<Settings>", w.created_at, m.role as "role: Role"
               from members m
               join workspaces w on w.id = m.workspace_id
               where m.person_id = $1 and m.removed_at is null and w.deleted_at is null
               order by w.name, w.id"#,
            person.0
        )
        .fetch_all(self.gate())
        .await?;
        Ok(rows
            .into_iter()
            .map(|row| {
                let workspace = Workspace {
                    id: WorkspaceId(row.id),
                    slug: row.slug,
                    name: row.name,
                    purpose: row.purpose,
                    settings: row.settings.0,
                    created_at: row.created_at,
                };
                (workspace, row.role)
            })
            .collect())
    }
}
