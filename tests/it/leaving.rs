//! Callers who leave in the middle of things.

use cairn_tests::{House, Role};
use std::time::Duration;

#[tokio::test]
async fn whoever_leaves_leaves_no_transaction_behind() {
    let house = House::open().await;
    let writer = house.agent("coding", Role::Writer).await;
    writer.remembers("Deploys happen on Tuesdays.").await;
    for n in 0..400_u64 {
        // Let go of at any moment: while it is sent, begins, reads, or ends.
        let asked = tokio::time::timeout(Duration::from_micros(n * 50), writer.ask("GET", "memories?q=deploy").send());
        drop(asked.await);
    }
    let within = "select count(*) from pg_stat_activity where application_name = 'cairn' and datname = current_database() and state like 'idle in transaction%'";
    cairn_tests::until("every transaction has ended", async || house.count(within).await == 0).await;
    for _ in 0..40 {
        writer.get("memories?q=deploy").await.expect(200);
    }
}
