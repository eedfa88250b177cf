//! With a real Postgres: the story of a data dir, crash by crash.

use std::{
    env, fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::{Pid, geteuid},
};
use sqlx::{Connection, Executor, PgConnection};

use super::*;

/// Passes through for Postgres's account, as a data dir that we made would.
fn open_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o711)).expect("opened");
    folder
}

async fn asked(url: &str, sql: &str) -> String {
    let mut connection = PgConnection::connect(url).await.expect("connected");
    let answer: String = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&mut connection).await.expect("answered");
    connection.close().await.expect("closed");
    answer
}

async fn told(url: &str, sql: &'static str) {
    let mut connection = PgConnection::connect(url).await.expect("connected");
    connection.execute(sql).await.expect("done");
    connection.close().await.expect("closed");
}

async fn note_count(cluster: &Cluster) -> String {
    asked(&cluster.owner_url(), "select count(*)::text from note").await
}

fn postmaster_pid(base: &Path) -> Pid {
    PidFile::of_running(&base.join("data")).expect("it runs").pid
}

#[tokio::test]
async fn keeps_its_data_and_its_folder_to_itself() {
    let folder = open_folder();
    let data_dir = folder.path().join("not/yet/there");
    let cluster = Cluster::start(&data_dir).await.expect("a new cluster");
    told(&cluster.owner_url(), "create table note (n int); insert into note values (1)").await;
    let login = "select rolname || rolsuper || rolinherit from pg_roles where rolname = current_user";
    assert_eq!(asked(&cluster.app_url(), login).await, "cairn_loginfalsefalse");
    assert_eq!(asked(&cluster.owner_url(), "show listen_addresses").await, "");
    assert_eq!(asked(&cluster.owner_url(), "show data_checksums").await, "on");

    let base = cluster.place.base.clone();
    for private in [base.clone(), base.join("data"), base.join("log")] {
        let found = private.metadata().expect("there");
        assert_eq!(found.mode() & 0o777, 0o700, "{}", private.display());
        assert_ne!(found.uid(), 0, "{}", private.display());
        assert_eq!(found.uid() == geteuid().as_raw(), !geteuid().is_root());
    }
    cluster.stop().await.expect("stopped");
    assert!(!base.join("data/postmaster.pid").exists());
    assert!(attach(&data_dir).expect("looked").is_none());

    let cluster = Cluster::start(&data_dir).await.expect("again");
    assert_eq!(note_count(&cluster).await, "1");
    cluster.stop().await.expect("stopped");
}

#[tokio::test]
async fn a_second_server_is_told_who_has_the_folder() {
    let folder = open_folder();
    let first = Cluster::start(folder.path()).await.expect("a new cluster");
    let problem = Cluster::start(folder.path()).await.expect_err("taken").to_string();
    assert!(problem.contains(&format!("pid {}", std::process::id())), "{problem}");
    assert!(problem.contains(&folder.path().display().to_string()), "{problem}");

    let attached = attach(folder.path()).expect("looked").expect("it runs");
    assert_eq!(attached.owner_url(), first.owner_url());
    let psql = Command::new(attached.binaries().path("psql"))
        .args(["-X", "-A", "-t", "-c", "select current_user || current_database()"])
        .arg(attached.owner_url())
        .output()
        .expect("psql ran");
    assert_eq!(String::from_utf8_lossy(&psql.stdout), "cairn_ownercairn\n");
    first.stop().await.expect("stopped");
}

#[tokio::test]
async fn the_postgres_of_a_killed_server_is_taken_over() {
    let folder = open_folder();
    let base = folder.path().join("postgres");
    let mut server = other_process("hold_a_cluster_until_killed", folder.path());
    until(|| attach(folder.path()).is_ok_and(|found| found.is_some())).await;
    until(|| folder.path().join("held").exists()).await;
    server.kill().expect("killed");
    server.wait().expect("reaped");
    let orphan = postmaster_pid(&base);

    let cluster = Cluster::start(folder.path()).await.expect("taken over");
    assert_eq!(postmaster_pid(&base), orphan);
    assert_eq!(note_count(&cluster).await, "0");
    cluster.stop().await.expect("stopped");
    assert_eq!(PidFile::of_running(&base.join("data")), None);
}

#[tokio::test]
async fn dropping_it_stops_postgres_and_the_next_start_waits_for_that() {
    let folder = open_folder();
    let cluster = Cluster::start(folder.path()).await.expect("a new cluster");
    told(&cluster.owner_url(), "create table note ()").await;
    let first = postmaster_pid(&cluster.place.base);
    drop(cluster);
    tokio::time::sleep(Duration::from_millis(5)).await;
    let cluster = Cluster::start(folder.path()).await.expect("again");
    assert_ne!(postmaster_pid(&cluster.place.base), first);
    assert_eq!(note_count(&cluster).await, "0");
    cluster.stop().await.expect("stopped");
}

/// A machine that lost power: no process left, files as they were, and numbers that belong to
/// other programs after the boot – of the same account, which is what Postgres stumbles over.
#[tokio::test]
async fn files_of_a_crash_do_not_stand_in_the_way() {
    let folder = open_folder();
    let cluster = Cluster::start(folder.path()).await.expect("a new cluster");
    told(&cluster.owner_url(), "create table note (); insert into note default values").await;
    let place = cluster.place.clone();
    let pid_file = place.data().join("postmaster.pid");
    let pid = postmaster_pid(&place.base);
    let left_behind = fs::read_to_string(&pid_file).expect("read");
    // While a session is open, whose process has to notice first.
    let session = PgConnection::connect(&cluster.owner_url()).await.expect("connected");
    kill(pid, Signal::SIGKILL).expect("killed");
    drop((cluster, session));
    until(|| PidFile::of_running(&place.data()).is_none()).await;

    let mut stranger = place.account.command(Path::new("/bin/sleep"), Path::new("/")).arg("100").spawn().expect("another program");
    let reused = left_behind.replacen(&pid.to_string(), &stranger.id().to_string(), 1);
    fs::write(&pid_file, &reused).expect("written");
    fs::write(place.base.join(".s.PGSQL.5432.lock"), &reused).expect("written");

    let cluster = Cluster::start(folder.path()).await.expect("recovered");
    assert_eq!(note_count(&cluster).await, "1");
    assert!(stranger.try_wait().expect("asked").is_none(), "left alone");
    cluster.stop().await.expect("stopped");
    stranger.kill().expect("ended");
    stranger.wait().expect("reaped");
}

#[tokio::test]
async fn a_long_or_strange_path_gets_a_short_socket() {
    let folder = open_folder();
    let data_dir = folder.path().join("x".repeat(60)).join("it's a, \"long\" $HOME").join("ü".repeat(30));
    let cluster = Cluster::start(&data_dir).await.expect("a new cluster");
    told(&cluster.owner_url(), "create table note ()").await;
    let socket_folder = cluster.socket_folder.clone();
    assert_ne!(socket_folder, cluster.place.base);
    let found = socket_folder.metadata().expect("there");
    assert_eq!(found.mode() & 0o777, 0o700);
    assert_eq!(found.uid(), cluster.place.base.metadata().expect("there").uid());
    let attached = attach(&data_dir).expect("looked").expect("it runs");
    assert_eq!(attached.owner_url(), cluster.owner_url());
    cluster.stop().await.expect("stopped");
    assert!(!socket_folder.exists());
}

#[tokio::test]
async fn a_folder_that_postgres_cannot_enter_points_elsewhere() {
    let closed = tempfile::tempdir().expect("a folder");
    fs::set_permissions(closed.path(), PermissionsExt::from_mode(0o700)).expect("closed");
    let data_dir = closed.path().join("cairn");
    let cluster = Cluster::start(&data_dir).await.expect("a new cluster");
    told(&cluster.owner_url(), "create table note ()").await;
    let base = cluster.place.base.clone();
    cluster.stop().await.expect("stopped");
    if !geteuid().is_root() {
        assert_eq!(base, fs::canonicalize(&data_dir).expect("there").join("postgres"));
        return;
    }
    assert_eq!(closed.path().metadata().expect("there").mode() & 0o777, 0o700, "not ours to open");
    assert!(base.starts_with("/var/lib/cairn-postgres"), "{}", base.display());
    let cluster = Cluster::start(&data_dir).await.expect("again");
    assert_eq!(note_count(&cluster).await, "0");
    cluster.stop().await.expect("stopped");

    fs::remove_file(data_dir.join("postgres.location")).expect("removed");
    let anew = Cluster::start(&data_dir).await.expect("an empty one");
    let second = anew.place.base.clone();
    assert_ne!(second, base, "an earlier data dir's database is not ours");
    anew.stop().await.expect("stopped");

    fs::remove_dir_all(&second).expect("removed");
    fs::remove_dir_all(&base).expect("removed");
    let problem = Cluster::start(&data_dir).await.expect_err("gone").to_string();
    assert!(problem.contains("no such folder"), "{problem}");
}

#[tokio::test]
async fn a_copy_made_by_root_gets_its_owner_and_mode_back() {
    let folder = open_folder();
    let cluster = Cluster::start(folder.path()).await.expect("a new cluster");
    told(&cluster.owner_url(), "create table note ()").await;
    let base = cluster.place.base.clone();
    cluster.stop().await.expect("stopped");
    let copied = Command::new("sh")
        .args(["-c", "cp -r \"$0\" \"$0.copy\" && rm -r \"$0\" && mv \"$0.copy\" \"$0\" && chmod 755 \"$0\" \"$0/data\""])
        .arg(&base)
        .status()
        .expect("copied");
    assert!(copied.success());
    let cluster = Cluster::start(folder.path()).await.expect("again");
    assert_eq!(note_count(&cluster).await, "0");
    assert_eq!(base.join("data").metadata().expect("there").mode() & 0o777, 0o700);
    cluster.stop().await.expect("stopped");
}

#[tokio::test]
async fn a_start_that_fails_shows_the_log() {
    let folder = open_folder();
    let cluster = Cluster::start(folder.path()).await.expect("a new cluster");
    let conf = cluster.place.data().join("postgresql.conf");
    cluster.stop().await.expect("stopped");
    let good = fs::read_to_string(&conf).expect("read");
    fs::write(&conf, format!("{good}\nmax_connections = many\n")).expect("written");
    let problem = Cluster::start(folder.path()).await.expect_err("broken").to_string();
    assert!(problem.contains("max_connections"), "{problem}");
}

#[tokio::test]
async fn a_throw_away_goes_with_its_process() {
    let cluster = ThrowAway::start(false).expect("a throw-away cluster");
    assert_eq!(asked(&cluster.owner_url("postgres"), "show fsync").await, "off");
    assert_eq!(asked(&cluster.login_url("postgres"), "select current_user::text").await, "cairn_login");
    cluster.pg_ctl(&["stop", "-m", "immediate"]).expect("stopped");
    cluster.pg_ctl(&["start", "-w"]).expect("started");
    assert_eq!(asked(&cluster.owner_url("postgres"), "show max_connections").await, "200");
    let data = cluster.data_dir();
    drop(cluster);
    assert!(!data.exists());

    let folder = open_folder();
    let mut process = other_process("hold_a_throw_away_until_killed", folder.path());
    until(|| folder.path().join("held").exists()).await;
    let data = PathBuf::from(fs::read_to_string(folder.path().join("held")).expect("read"));
    assert!(PidFile::of_running(&data).is_some());
    process.kill().expect("killed");
    process.wait().expect("reaped");
    until(|| !data.exists()).await;
}

/// Not tests: what the process does that the tests above kill.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn hold_a_cluster_until_killed() {
    let Some(folder) = env::var_os("CAIRN_HELD_FOLDER").map(PathBuf::from) else {
        return;
    };
    let cluster = Cluster::start(&folder).await.expect("a new cluster");
    told(&cluster.owner_url(), "create table note ()").await;
    fs::write(folder.join("held"), "").expect("written");
    std::future::pending::<()>().await;
}

#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn hold_a_throw_away_until_killed() {
    let Some(folder) = env::var_os("CAIRN_HELD_FOLDER").map(PathBuf::from) else {
        return;
    };
    let cluster = ThrowAway::start(true).expect("a throw-away cluster");
    let draft = folder.join("draft");
    fs::write(&draft, cluster.data_dir().display().to_string()).expect("written");
    fs::rename(draft, folder.join("held")).expect("renamed");
    std::future::pending::<()>().await;
}

fn other_process(test: &str, folder: &Path) -> Child {
    let module = module_path!().split_once("::").map_or("", |(_, path)| path);
    Command::new(env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", &format!("{module}::{test}")])
        .env("CAIRN_HELD_FOLDER", folder)
        .stdout(Stdio::null())
        .spawn()
        .expect("a process")
}

async fn until(mut happened: impl FnMut() -> bool) {
    for _ in 0..600 {
        if happened() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it did not happen within 30 s");
}
