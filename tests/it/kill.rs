//! Nothing acknowledged is lost: the server and Postgres are killed under sixteen writers, again and again, and
//! afterwards every answer of 2xx is there with its version and its entry, and nothing half-done is.

use cairn_tests::{Actor, House, Postgres, Program, Role, Writers, everything_adds_up};
use rand::RngExt;
use std::time::Duration;

/// How often the server is killed: a few times, or as `make stress` says.
fn kills() -> usize {
    std::env::var("CAIRN_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4)
}

/// A house on a Postgres that may be pulled the plug, whose server is the real program.
async fn program_in_a_house() -> (House, Actor, Program, u16) {
    let mut house = House::on(Postgres::own(true).await, |_| {}).await;
    let agent = house.agent("coding", Role::Writer).await;
    house.shut().await;
    let port = Program::free_port();
    let program = serve(&house, port).await;
    let actor = agent.living_at(&program.url);
    (house, actor, program, port)
}

async fn serve(house: &House, port: u16) -> Program {
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    Program::serve(port, house.folder(), &[("CAIRN_DATABASE_URL", &app), ("CAIRN_MIGRATION_DATABASE_URL", &owner)]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_may_be_killed_at_any_moment() {
    let (house, actor, mut program, port) = program_in_a_house().await;
    let writers = Writers::start(&actor);
    for round in 0..kills() {
        writers.get_through(if round < 4 { 60 + 25 * round } else { 1 }).await;
        // At any moment: also while nobody has been answered yet.
        let moment = rand::rng().random_range(0..200);
        tokio::time::sleep(Duration::from_millis(moment)).await;
        program.kill().await;
        program = serve(&house, port).await;
    }
    writers.get_through(50).await;
    let acknowledged = writers.finish().await;
    everything_adds_up(house.owner(), &acknowledged).await;
    let (kills, count) = (kills(), acknowledged.len());
    println!("kill: {kills} times killed, {count} writes acknowledged, none lost");
    let told = house.runs(&["check"]).await.fine();
    assert!(told.contains("checks hold"), "{told}");
    program.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_may_be_killed_at_any_moment() {
    let (house, actor, program, _) = program_in_a_house().await;
    let writers = Writers::start(&actor);
    for round in 0..4 {
        writers.get_through(60 + 25 * round).await;
        house.postgres().crash().await;
        house.postgres().start().await;
    }
    // The same server, which nobody restarted.
    writers.get_through(50).await;
    let acknowledged = writers.finish().await;
    everything_adds_up(house.owner(), &acknowledged).await;
    program.kill().await;
}
