// What people do with the dashboard: by role, with the keyboard, without scripts, and while others write.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import * as chromium from "./browser.js";
import { openDemo, signedIn } from "./demo.js";

let house, rest, browser, ada;

before(async () => {
  ({ house, rest } = await openDemo());
  browser = await chromium.open();
  ada = await signedIn(browser, house);
});

after(async () => {
  await browser?.close();
  await house?.close();
});

const W = "/w/coding";

test("the first page says what is known, what happened and what waits", async () => {
  await ada.opens(`${W}/overview`);
  await ada.sees("Needs you", "What is known", "Newest decisions", "Most recalled", "Agents active now", "Tokens saved", "decision");
  await ada.sees("Retry settlements with an idempotency key", "coding-agent");
  await ada.follows("All decisions");
  await ada.sees("Retry settlements with growing pauses", "Retry a settlement three times", "superseded");
  await ada.isWell("decisions");
});

test("one asks as an agent would, sees why, and leaves a receipt", async () => {
  await ada.opens(`${W}/search`);
  await ada.page.getByLabel("Question").fill("how do we sign service tokens?");
  await ada.page.locator(".hit").first().waitFor();
  assert.match(ada.path(), /q=how/, "what is asked stands in the address");
  await ada.sees("Sign service tokens with RS256", "Keyword", "Meaning", "Freshness");
  await ada.follows("Receipt", { exact: true });
  await ada.sees("how do we sign service tokens?", "ada", "dashboard", "Sign service tokens with RS256");
  await ada.follows("Sign service tokens with RS256");
  await ada.sees("Who was told this", "how do we sign service tokens?", "Related", "Supersedes");
  await ada.isWell("from a receipt to the memory");
});

test("the past is asked with the slider or a day", async () => {
  await ada.opens(`${W}/search?q=deploys&as_of=2020-01-01`);
  await ada.sees("As the workspace was on 2020-01-01", "Nothing known");
  await ada.page.getByLabel("As of").fill("0");
  await ada.page.getByText("No deploys on Fridays").first().waitFor();
  await ada.seesNot("As the workspace was on");
  await ada.opens(`${W}/search?q=deploys&ago=0`);
  await ada.sees("No deploys on Fridays");
  await ada.opens(`${W}/search?q=deploys&ago=soon&kind=nonsense`);
  await ada.sees("Not all of this address was understood");
  ada.isCalm();
});

test("a text is rendered, and shown as it was written on demand", async () => {
  const [memory] = (await rest("GET", "/workspaces/coding/memories?q=idempotency+key&kind=decision")).data;
  await ada.opens(`${W}/memories/${memory.id}`);
  assert.equal(await ada.page.locator(".prose table").count(), 1);
  await ada.follows("As it was written");
  await ada.sees("| attempt | pause |");
  ada.isCalm();
});

test("a run is replayed: prompts, reads, edits, commands, recalls, checkpoints, what was learned", async () => {
  await ada.opens(`${W}/sessions`);
  await ada.follows(/Retries carry an idempotency key/);
  await ada.sees("The nightly build fails", "src/settlement/retry.rs", "cargo test -p gateway settlement", "recalled", "checkpoint", "decided", "What was learned");
  assert(await ada.page.locator(".moment.failed").count(), "a failed command looks failed");
  await ada.isWell("a run");
});

test("one walks through the code to what no longer holds, and sees it on another branch", async () => {
  await ada.opens(`${W}/code`);
  await ada.sees("gateway", "3f2a1c9", "the default branch", "fetch went with its file in 3f2a1c9 (src/upstream/legacy.rs)");
  for (const name of ["src/", "settlement/", "retry.rs"]) await ada.follows(name, { exact: true });
  await ada.sees("retry changed its signature in 3f2a1c9", "settlement.rs", "3 symbols");
  await ada.follows(/^retry function/);
  await ada.sees("lines 56–76", "Named with it in the same memory", "settle");
  await ada.opens(`${W}/code?repo=gateway&path=src%2Fauth%2Ftokens.rs&symbol=verify`);
  await ada.seesNot("changed its signature");
  assert(await ada.page.locator(".ropes svg path").count(), "the graph is drawn");
  await ada.page.locator("select[name=branch]").selectOption("rotate-keys");
  await ada.presses("Open");
  await ada.sees("verify changed its signature in b07d5e2 (src/auth/tokens.rs on rotate-keys)");
  await ada.opens(`${W}/code`);
  await ada.follows("All that needs review");
  await ada.page.locator(".memory", { hasText: "Pauses between retries" }).getByRole("button", { name: "Verify" }).click();
  await ada.page.getByText("Verified: it is fresh again.").waitFor();
  assert.equal(ada.path(), `${W}/code/review`);
  await ada.seesNot("Pauses between retries");
  await ada.isWell("needs review");
});

test("tasks lie on a board, and one is paused and completed", async () => {
  await ada.opens(`${W}/tasks`);
  await ada.sees("Open", "Active", "Completed", "Rotate the signing keys without ending sessions");
  await ada.follows("Rotate the signing keys without ending sessions");
  await ada.sees("Next step", "keep two keys at once", "1 of 3 done", "What the next run is told");
  await ada.presses("Pause");
  await ada.sees("Paused.", "paused");
  await ada.presses("Complete");
  await ada.sees("Completed. Its record is kept", "completed");
  await ada.isWell("a task");
});

test("what was archived by mistake is taken back", async () => {
  const [memory] = (await rest("GET", "/workspaces/coding/memories?q=minor+units")).data;
  await ada.opens(`${W}/memories/${memory.id}`);
  await ada.presses("Archive");
  await ada.sees("Archived.");
  await ada.presses("Undo");
  await ada.sees("Restored.", "active");
  ada.isCalm();
});

test("one remembers by hand, corrects it and takes the correction back", async () => {
  await ada.opens(`${W}/search?q=how+high+is+the+lighthouse%3F&kind=preference&tag=nowhere`);
  await ada.sees("Nothing known");
  await ada.follows("Remember the answer");
  await ada.page.locator("textarea[name=content]").fill("The lighthouse is 31 metres high.");
  await ada.page.getByLabel("Tags").fill("harbour, light");
  await ada.isWell("remember something");
  await ada.presses("Remember it");
  await ada.sees("Remembered.", "The lighthouse is 31 metres high.", "harbour");
  await ada.follows("Edit…");
  await ada.page.locator("textarea[name=content]").fill("The lighthouse is 32 metres high.");
  await ada.page.getByLabel("Why it is changed").fill("measured again");
  await ada.isWell("edit");
  await ada.presses("Save as a new version");
  await ada.sees("Saved: this is version 2.", "32 metres", "measured again");
  await ada.presses("Undo");
  await ada.sees("Back to version 1", "31 metres");
  ada.isCalm();
});

test("a decision gets another in its place", async () => {
  const [decision] = (await rest("GET", "/workspaces/coding/memories?kind=decision&state=active&q=fridays")).data;
  await ada.opens(`${W}/memories/${decision.id}`);
  await ada.follows("Supersede…");
  await ada.page.locator("textarea[name=content]").fill("No deploys on Fridays, nor on the day before a holiday.");
  await ada.isWell("supersede");
  await ada.presses("Supersede");
  await ada.sees("This holds from now on.", "nor on the day before a holiday", "Supersedes");
  ada.isCalm();
});

test("a bad run is rolled back without scripts, and the rollback too", async () => {
  const agent = await rest("POST", "/workspaces/coding/agents", { name: "confused-agent", role: "writer" });
  const { key } = await rest("POST", `/workspaces/coding/agents/${agent.id}/keys`, {});
  const confused = house.caller(key);
  const run = await confused("POST", "/workspaces/coding/sessions", { agent_tool: "codex" });
  const wrong = { title: "The moon is made of cheese", content: "And cheese of moon.", session_id: run.id };
  const memory = await confused("POST", "/workspaces/coding/memories", wrong);
  const state = async () => (await rest("GET", `/workspaces/coding/memories/${memory.id}`)).state;
  const grace = await signedIn(browser, house, "grace@harbor.example", { javaScriptEnabled: false });
  await grace.opens(`${W}/sessions/${run.id}`);
  await grace.follows("Roll this run back…");
  await grace.sees("Roll this back?", "The moon is made of cheese", "are put away");
  await grace.isWell("roll back a run");
  await grace.presses("Roll back");
  await grace.sees("Rolled back: 1 memory is as it was", "A rollback");
  await grace.isWell("a rollback");
  assert.equal(await state(), "archived");
  await grace.follows("Take it back…");
  await grace.presses("Roll back");
  assert.equal(await state(), "active");
  await grace.opens(`${W}/rollbacks/new`);
  await grace.page.getByLabel("What was written by").selectOption({ label: "confused-agent" });
  await grace.presses("Show what it would do");
  await grace.sees("what confused-agent wrote", "The moon is made of cheese");
  await grace.isWell("roll back an agent");
  await grace.context.close();
});

test("everything is reached from the keyboard", async () => {
  const { page } = ada;
  await ada.opens(`${W}/overview`);
  for (const [letter, place] of [["f", "code"], ["m", "memories"]]) {
    await page.keyboard.press("g");
    await Promise.all([page.waitForURL(`**${W}/${place}`), page.keyboard.press(letter)]);
  }
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  const title = await page.locator(".memory").first().locator(".title").innerText();
  assert.equal(await page.evaluate(() => document.activeElement.innerText), title);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  assert.equal(await page.locator("h1").innerText(), title);
  await page.keyboard.press("?");
  await page.locator("#keys").waitFor({ state: "visible" });
  await page.keyboard.press("Escape");
  await page.locator("#keys").waitFor({ state: "hidden" });
  await Promise.all([page.waitForNavigation(), page.keyboard.press("/")]);
  assert.equal(ada.path(), `${W}/search`);
  assert.equal(await page.evaluate(() => document.activeElement.name), "q");
  await page.keyboard.type("g m");
  assert.equal(await page.getByLabel("Question").inputValue(), "g m", "letters typed into a field are letters");
  ada.isCalm();
});

test("a list changes while one looks at it", async () => {
  await ada.opens(`${W}/memories`);
  await ada.page.waitForTimeout(300);
  const agent = await rest("POST", "/workspaces/coding/agents", { name: "late-writer", role: "writer" });
  const { key } = await rest("POST", `/workspaces/coding/agents/${agent.id}/keys`, {});
  await house.caller(key)("POST", "/workspaces/coding/memories", { title: "Written while somebody looked", content: "It appears by itself." });
  await ada.page.getByText("Written while somebody looked").first().waitFor();
  ada.isCalm();
});

test("filters narrow the list without leaving the page", async () => {
  await ada.opens(`${W}/memories`);
  await ada.page.evaluate(() => (window.stayed = true));
  await ada.page.getByLabel("Kind").selectOption("decision");
  await ada.page.waitForFunction(() => location.search.includes("kind=decision"));
  assert.equal(await ada.page.evaluate(() => window.stayed), true);
  await ada.page.getByText("No deploys on Fridays").first().waitFor();
  await ada.page.goBack();
  await ada.page.waitForFunction(() => !location.search.includes("kind"));
  ada.isCalm();
});

test("all of it works without scripts", async () => {
  const grace = await signedIn(browser, house, "grace@harbor.example", { javaScriptEnabled: false });
  assert.equal(grace.path(), `${W}/overview`);
  await grace.sees("Needs you", "What is known");
  await grace.follows("Search", { exact: true });
  await grace.page.getByLabel("Question").fill("are deploys allowed on friday?");
  await grace.presses("Ask");
  await grace.sees("No deploys on Fridays");
  await grace.page.getByText("why here").nth(1).click();
  await grace.follows("Memories", { exact: true });
  await grace.page.getByLabel("Kind").selectOption("procedure");
  await grace.presses("Filter");
  await grace.sees("Run the gateway's tests");
  await grace.follows("Run the gateway's tests");
  await grace.presses("Still true: verify");
  await grace.sees("Verified: it is fresh again.");
  // Beside some of them stands how many wait there.
  for (const place of ["Decisions", "Code", "Sessions", "Tasks", "Receipts", "Deletion"]) {
    await grace.follows(new RegExp(`^${place}( ?\\d+ waiting)?$`));
    assert.equal(await grace.page.locator("h1").count(), 1, place);
    await grace.isWell(`${place} without scripts`);
  }
  await grace.context.close();
});

test("who may not, is not offered to", async () => {
  await rest("POST", "/workspaces/coding/members", { email: "rea@harbor.example", name: "Rea Reader", role: "reader" }).then(async ({ invitation }) => {
    const token = invitation.split("/").pop();
    const answer = await fetch(`${house.url}/v1/auth/links/${token}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ password: "seven stones in a row" }) });
    assert(answer.ok);
  });
  const reader = await signedIn(browser, house, "rea@harbor.example");
  await reader.opens(`${W}/overview`);
  assert.equal(await reader.page.locator("nav.places").getByText("Audit").count(), 0);
  const [memory] = (await rest("GET", "/workspaces/coding/memories?kind=pattern")).data;
  await reader.opens(`${W}/memories/${memory.id}`);
  for (const name of ["Archive", "Still true: verify"]) assert.equal(await reader.page.getByRole("button", { name }).count(), 0, name);
  await reader.opens(`${W}/tasks/ledger-export`);
  assert.equal(await reader.page.getByRole("button", { name: "Complete" }).count(), 0);
  reader.expect(403);
  assert.equal(await reader.opens(`${W}/trail`), 403);
  const mei = await signedIn(browser, house, "mei@harbor.example");
  await mei.opens(`${W}/overview`);
  assert.equal(await mei.page.locator("nav.places").getByText("Audit").count(), 1);
  await reader.context.close();
  await mei.context.close();
});
