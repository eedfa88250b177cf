//! Backup and restore: one file with the database and the master key that belongs to it.

use super::{Failure, attached_or_opened, tool, with_password, within};
use crate::{
    acts,
    config::Config,
    journal,
    keyring::Keyring,
    model::{clock, deletion::Journalled},
    serve::{self, Database},
    store::{check, connect},
};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions},
    io::Read,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::Stdio,
};
use tokio::process::Command;

const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const MASTER_KEY: &str = "master.key";
const DUMP: &str = "database.dump";

#[derive(Serialize, Deserialize)]
struct Manifest {
    format: u32,
    cairn: String,
    #[serde(with = "time::serde::rfc3339")]
    made_at: time::OffsetDateTime,
}

/// Write everything to one new file that only its owner may read: the master key is in it.
pub async fn backup(config: Config, file: &Path) -> Result<(), Failure> {
    let target = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
    let done = write_copy(&config, target).await;
    if done.is_err() {
        let _ = fs::remove_file(file);
    }
    let size = done?;
    println!("{}: {} MiB, with the master key in it; keep it as you keep passwords.", file.display(), size.div_ceil(1024 * 1024));
    Ok(())
}

async fn write_copy(config: &Config, target: File) -> Result<u64, Failure> {
    Keyring::open(&config.master_key_file)?;
    let master_key = fs::read(&config.master_key_file)?;
    let folder = Scratch::make(&config.data_dir)?;
    let dump = folder.0.join(DUMP);
    let database = attached_or_opened(config).await?;
    let dumped = run(
        with_password(&tool(config, "pg_dump")?, &[], &database.owner_url).args(["--format=custom", "--no-owner", "--no-toast-compression", "--file"]).arg(&dump),
        "If it speaks of row-level security: the owner's URL (CAIRN_MIGRATION_DATABASE_URL) must be a role that row policies do not bind: a superuser, or one with BYPASSRLS.",
    )
    .await;
    database.close().await?;
    dumped?;
    let manifest = Manifest { format: FORMAT, cairn: env!("CARGO_PKG_VERSION").to_owned(), made_at: clock::now() };
    let mut archive = tar::Builder::new(target);
    append(&mut archive, MANIFEST, &serde_json::to_vec_pretty(&manifest)?)?;
    append(&mut archive, MASTER_KEY, &master_key)?;
    archive.append_path_with_name(&dump, DUMP)?;
    let target = archive.into_inner()?;
    target.sync_all()?;
    Ok(target.metadata()?.len())
}

/// Fill an empty server from a backup, erase again what a journal says, and check what came out of it.
pub async fn restore(config: Config, file: &Path, erasures: Option<&Path>) -> Result<(), Failure> {
    let journal = journal_of(&config, erasures)?;
    let folder = Scratch::make(&config.data_dir)?;
    let (manifest, master_key) = unpack(file, &folder.0)?;
    println!("{}: made by Cairn {} at {}.", file.display(), manifest.cairn, manifest.made_at);
    let database = Database::open(&config).await?;
    let restored = async {
        fill(&config, &database, &master_key, &folder.0.join(DUMP)).await?;
        if !journal.is_empty() {
            within(&config, &database, async |app| {
                let done = acts::deletion::erase_again(&app, &journal).await.map_err(serve::told)?;
                println!("{done} of {} erasures in the journal had come back with the backup, and were done again.", journal.len());
                Ok(())
            })
            .await?;
        }
        let mut found = check::look_through(&database.owner_url).await?;
        acts::seal::look_through(&database.owner_url, &mut found).await.map_err(serve::told)?;
        Ok::<_, Failure>(found)
    }
    .await;
    database.close().await?;
    let found = restored?;
    println!("{found}");
    if found.holds() { Ok(()) } else { Err("the copy was restored, but the trail does not hold; do not rely on it".into()) }
}

/// What was erased, by the journal that is named, or else by the one in the data dir. A file in which nothing can be read is refused:
/// without it the erased texts would come back in silence.
fn journal_of(config: &Config, named: Option<&Path>) -> Result<Vec<Journalled>, Failure> {
    let beside = journal::file_beside(&config.data_dir);
    let file = named.unwrap_or(&beside);
    if named.is_none() && !file.exists() {
        return Ok(Vec::new());
    }
    let told = journal::read(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    if told.unread > 0 && told.entries.is_empty() {
        return Err(format!("{} is no journal of erasures: none of its {} lines can be read", file.display(), told.unread).into());
    }
    if told.unread > 0 {
        println!(
            "{}: {} lines could not be read and are passed over. A crash cuts a line short, which is written anew after it; if there was none, look at the file.",
            file.display(),
            told.unread
        );
    }
    Ok(told.entries)
}

async fn fill(config: &Config, database: &Database, master_key: &[u8], dump: &Path) -> Result<(), Failure> {
    if !check::is_empty(&database.owner_url).await? {
        return Err("this server is not empty: restore into a new data dir, or an empty database".into());
    }
    place_master_key(&config.master_key_file, master_key)?;
    check::make_roles(&database.owner_url).await?;
    run(
        with_password(&tool(config, "pg_restore")?, &["--no-owner", "--exit-on-error", "--single-transaction", "--dbname"], &database.owner_url).arg(dump),
        "Nothing was restored. If it speaks of a constraint: what was copied is damaged, or was changed by hand. If of a permission: the owner's URL must be one that may create tables and roles.",
    )
    .await?;
    // Which also forgets the numbers of the other cluster's transactions.
    Ok(connect::migrate(&database.owner_url, &database.app_url).await?)
}

fn unpack(file: &Path, folder: &Path) -> Result<(Manifest, Vec<u8>), Failure> {
    let not_ours = || format!("{} is not a backup of Cairn's", file.display());
    let mut archive = tar::Archive::new(File::open(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?);
    let (mut manifest, mut master_key, mut dumped) = (None, None, false);
    for entry in archive.entries().map_err(|_| not_ours())? {
        let mut entry = entry.map_err(|_| not_ours())?;
        let name = entry.path()?.to_string_lossy().into_owned();
        match name.as_str() {
            MANIFEST => manifest = Some(serde_json::from_reader::<_, Manifest>(&mut entry).map_err(|_| not_ours())?),
            MASTER_KEY => {
                let mut key = Vec::new();
                entry.read_to_end(&mut key)?;
                master_key = Some(key);
            }
            DUMP => {
                std::io::copy(&mut entry, &mut File::create(folder.join(DUMP))?)?;
                dumped = true;
            }
            _ => return Err(not_ours().into()),
        }
    }
    match (manifest, master_key) {
        (Some(manifest), Some(key)) if manifest.format == FORMAT && dumped => Ok((manifest, key)),
        (Some(manifest), _) if manifest.format > FORMAT => Err("the backup was made by a newer Cairn; restore it with that one".into()),
        _ => Err(not_ours().into()),
    }
}

/// The database and its master key belong together; another key that is in use stays.
fn place_master_key(file: &Path, key: &[u8]) -> Result<(), Failure> {
    match fs::read(file) {
        Ok(there) if there.trim_ascii() == key.trim_ascii() => return Ok(()),
        Ok(_) => {
            return Err(format!(
                "{} is another master key than the backup's; move it away, or restore into a new data dir",
                file.display()
            )
            .into());
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(format!("{} cannot be read: {error}", file.display()).into()),
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    std::io::Write::write_all(&mut made, key)?;
    Ok(made.sync_all()?)
}

fn append(archive: &mut tar::Builder<File>, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o600);
    Ok(archive.append_data(&mut header, name, bytes)?)
}

async fn run(command: &mut Command, hint: &str) -> Result<(), Failure> {
    let output = command.stdin(Stdio::null()).output().await?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(format!("{} failed: {said}\n{hint}", command.as_std().get_program().display()).into())
}

/// A folder that goes away again, readable by its owner only.
struct Scratch(PathBuf);

impl Scratch {
    fn make(data_dir: &Path) -> Result<Self, Failure> {
        use std::os::unix::fs::DirBuilderExt;
        crate::store::cluster::make_data_dir(data_dir)?;
        let folder = data_dir.join(format!("copy-{}", clock::new_id().simple()));
        fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
