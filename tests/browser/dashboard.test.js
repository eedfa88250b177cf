// The dashboard as people use it, from the set-up link in the log to an erasure by two.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import * as chromium from "./browser.js";
import { Person } from "./browser.js";
import { House } from "./house.js";

const ADA = { name: "Ada Lovelace", email: "ada@example.org", password: "seven stones in a row" };
const GRACE = { name: "Grace Hopper", email: "grace@example.org", password: "nanoseconds on a wire" };
const LOOKS = [1280, 360].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ width, colorScheme })));

let house, browser, ada, grace, rest, secret;

before(async () => {
  house = await House.open();
  browser = await chromium.open();
  ada = await Person.at(browser, house);
  grace = await Person.at(browser, house, { javaScriptEnabled: false });
});

after(async () => {
  await browser?.close();
  await house?.close();
});

const memory = (id) => `/w/coding/memories/${id}`;

test("the watch notices what it is there for", async () => {
  const stranger = await Person.at(browser, house);
  await stranger.opens("/sign-in");
  stranger.isCalm();
  await stranger.page.evaluate(() => {
    document.body.append(Object.assign(new Image(), { src: "https://elsewhere.example/x.png" }));
    document.body.append(Object.assign(document.createElement("script"), { textContent: "1" }));
  });
  await stranger.page.waitForTimeout(200);
  const seen = stranger.troubles.join("\n");
  assert.match(seen, /asked https:\/\/elsewhere|Loading the image/);
  assert.match(seen, /inline script/i);
  await stranger.context.close();
});

test("the link in the log makes the first admin, once", async () => {
  await ada.page.goto(house.setUpLink);
  await ada.page.getByLabel("Your name").fill(ADA.name);
  await ada.page.getByLabel("Email").fill(ADA.email);
  await ada.page.getByLabel("Password").fill(ADA.password);
  await ada.isWell("set up");
  await ada.presses("Create admin and sign in");
  await ada.sees("You are in no workspace yet", "You are an admin of this Cairn");
  await ada.isWell("no workspace");

  const late = await Person.at(browser, house);
  late.expect(410);
  assert.equal(await late.opens(house.setUpLink), 410);
  await late.sees("This link was used already");
  await late.isWell("used link");
});

test("a team moves in", async () => {
  rest = await house.signIn(ADA.email, ADA.password);
  await rest("POST", "/workspaces", { slug: "coding", name: "Coding", purpose: "What our coding agents know" });
  await rest("POST", "/workspaces", { slug: "support", name: "Support", purpose: "What customers ask" });
  const invited = await rest("POST", "/workspaces/coding/members", { email: GRACE.email, name: GRACE.name, role: "reviewer" });

  const agent = await rest("POST", "/workspaces/coding/agents", { name: "builder", role: "writer" });
  const { key } = await rest("POST", `/workspaces/coding/agents/${agent.id}/keys`, {});
  const says = house.caller(key);
  await says("POST", "/workspaces/coding/memories", { kind: "decision", title: "Tokens are signed with Ed25519", content: "Short keys, one algorithm.", tags: ["auth"], project: "gateway" });
  const deploy = await says("POST", "/workspaces/coding/memories", { kind: "procedure", title: "How we deploy", content: "Build.\nTest.\nShip on Friday.", tags: ["deploy"], project: "gateway" });
  await says("PATCH", `/workspaces/coding/memories/${deploy.id}`, { content: "Build.\nTest.\nShip on Monday.", reason: "Fridays were bad" });
  const hostile = '<script>alert(1)</script><img src="https://evil.example/x.png">';
  await says("POST", "/workspaces/coding/memories", { title: hostile, content: hostile, tags: ["<b>"], stale_after: "2020-01-01T00:00:00Z" });
  secret = await says("POST", "/workspaces/coding/memories", { title: "A customer's telephone number", content: "555 0199", tags: ["customer"] });

  await grace.page.goto(invited.invitation);
  await grace.sees("Welcome", GRACE.name);
  await grace.page.getByLabel("New password").fill(GRACE.password);
  await grace.presses("Save and sign in");
  assert.equal(grace.path(), "/w/coding/overview", "who is in one workspace needs no choice");
  await grace.follows("Memories", { exact: true });
  await grace.sees("How we deploy");
  await grace.isWell("the list without scripts");
});

test("signing in says what is wrong, and leads where one wanted to go", async () => {
  const guest = await Person.at(browser, house, { javaScriptEnabled: false });
  await guest.opens("/w/coding/memories?kind=procedure");
  assert.equal(guest.path(), "/sign-in?next=%2Fw%2Fcoding%2Fmemories%3Fkind%3Dprocedure");
  await guest.isWell("sign in");
  await guest.page.getByLabel("Email").fill(GRACE.email);
  await guest.page.getByLabel("Password").fill("not her password");
  guest.expect(401);
  await guest.presses("Sign in");
  await guest.sees("The e-mail address or the password is wrong.");
  assert.equal(await guest.page.getByLabel("Email").inputValue(), GRACE.email);
  await guest.isWell("wrong password");
  await guest.page.getByLabel("Password").fill(GRACE.password);
  await guest.presses("Sign in");
  assert.equal(guest.path(), "/w/coding/memories?kind=procedure");
  await guest.sees("1 memory", "How we deploy");

  await guest.page.locator("details.viewer summary").click();
  await guest.presses("Sign out");
  await guest.sees("You are signed out.");
  await guest.opens("/w/coding/memories");
  assert.equal(guest.path(), "/sign-in?next=%2Fw%2Fcoding%2Fmemories");
  guest.isCalm();
});

test("the list is narrowed by its filters", async () => {
  await ada.opens("/workspaces");
  await ada.sees("Choose a workspace", "Coding", "Support");
  await ada.isWell("choose a workspace");
  await ada.follows("Coding");
  await ada.follows("Memories", { exact: true });
  await ada.sees("4 memories", "How we deploy", "Tokens are signed with Ed25519");
  await ada.page.getByLabel("Kind").selectOption("decision");
  await ada.page.waitForFunction(() => location.search.includes("kind=decision"));
  await ada.page.waitForFunction(() => !document.querySelector("#results").innerText.includes("How we deploy"));
  await ada.sees("Tokens are signed");
  await ada.seesNot("How we deploy");
  await ada.opens("/w/coding/memories?tag=deploy");
  await ada.sees("1 memory", "How we deploy");
  await ada.opens("/w/coding/memories?q=monday");
  await ada.sees("1 memory", "How we deploy");
  await ada.opens("/w/coding/memories?freshness=suspect");
  await ada.sees("1 memory", "<script>alert(1)</script>", "past its review date");
  await ada.opens("/w/coding/memories?project=nowhere");
  await ada.sees("Nothing matches");
  assert.equal(await ada.opens("/w/coding/memories?kind=nonsense&cursor=nonsense&author=me"), 200);
  await ada.sees("Not all of this address was understood", "“kind”", "“cursor”", "“author”", "4 memories");
  await ada.isWell("an address that was not understood");
});

test("a memory has a history, and two versions side by side", async () => {
  await ada.opens("/w/coding/memories");
  await ada.follows("How we deploy");
  await ada.sees("Ship on Monday.", "builder", "Fridays were bad", "v1", "v2");
  await ada.follows(/^What changed/);
  await ada.sees("Version 1 → 2", "Ship on Friday.", "Ship on Monday.");
  await ada.isWell("two versions");
  await ada.presses("Revert to v1");
  await ada.sees("Back to version 1, as a new version.", "Ship on Friday.", "v3");
  await ada.presses("Still true: verify");
  await ada.sees("Verified: it is fresh again.");
  await ada.page.reload();
  await ada.seesNot("Verified: it is fresh again.");
  await ada.presses("Archive");
  await ada.sees("Archived: no recall returns it.");
  await ada.presses("Restore");
  await ada.sees("Restored.");
  await ada.isWell("a memory");
});

test("what changed since one looked is not overwritten", async () => {
  const [stone] = (await rest("GET", "/workspaces/coding/memories?q=deploy")).data;
  await ada.opens(memory(stone.id));
  await rest("PATCH", `/workspaces/coding/memories/${stone.id}`, { tags: ["deploy", "late"] });
  await ada.presses("Archive");
  await ada.sees("Read it again and decide anew.", "active");
  ada.isCalm();
});

test("the trail reads as sentences and is for auditors", async () => {
  await ada.opens("/w/coding/memories");
  await ada.follows("Audit", { exact: true });
  await ada.sees("remembered a memory", "reverted a memory", "verified a memory", "How we deploy");
  await ada.page.getByLabel("Action").fill("memory.verified");
  await ada.presses("Filter");
  await ada.sees("verified a memory");
  await ada.seesNot("reverted a memory");
  await ada.opens("/w/coding/trail?from=2020-01-01&to=2020-01-02");
  await ada.sees("No entry matches");
  await ada.opens("/w/coding/trail?from=whenever&target=it");
  await ada.sees("Not all of this address was understood");
  grace.expect(403);
  assert.equal(await grace.opens("/w/coding/trail"), 403);
  await grace.sees("Your role here is reviewer");
  await grace.isWell("not an auditor");
  await ada.opens("/w/coding/trail?action=access.refused");
  await ada.sees("Grace Hopper", "was refused");
  await ada.isWell("refused in the trail");
});

test("a deletion takes two people, and then it is gone", async () => {
  await ada.opens(memory(secret.id));
  await ada.page.getByText("Ask for deletion…").click();
  await ada.page.getByLabel("Why must it go?").fill("She asked us to, ticket 4711.");
  await ada.presses("Ask for deletion");
  await ada.sees("Asked. Another person has to approve it", "ticket 4711", "Four eyes", "You asked for this", "pending");
  assert.equal(await ada.page.getByRole("button", { name: "Approve" }).count(), 0);
  await ada.isWell("asked for deletion");
  const request = ada.path();

  // The button is hidden; whoever sends the form nevertheless is refused, and that is remembered.
  const csrf = await ada.page.locator("input[name=csrf]").first().inputValue();
  const forced = await ada.context.request.post(house.url + request + "/approve", { form: { csrf }, headers: { Origin: house.url } });
  assert.equal(forced.status(), 403);
  assert.match(await forced.text(), /another person has to approve it/);
  await ada.opens("/w/coding/trail?action=access.refused");
  await ada.sees("Ada Lovelace", "was refused");

  await grace.opens("/w/coding/deletion-requests");
  await grace.follows("She asked us to, ticket 4711.");
  await grace.sees("A customer's telephone number", "1 version");
  await grace.isWell("to be decided");
  await grace.presses("Approve");
  await grace.sees("Approved. It can be executed now.", "This cannot be undone.");
  await grace.page.getByRole("checkbox").check();
  await grace.isWell("the last step");
  await grace.presses("Erase now");
  await grace.sees("Erased for good.", "executed", "Grace Hopper");
  await grace.seesNot("ticket 4711", "telephone");
  await grace.isWell("erased");

  ada.expect(404);
  assert.equal(await ada.opens(memory(secret.id)), 404);
  await ada.opens("/w/coding/memories");
  await ada.seesNot("telephone");
  await ada.opens("/w/coding/trail");
  await ada.sees("executed a deletion request", "erased a memory");
  await ada.seesNot("telephone", "555 0199");
  await ada.isWell("erased in the trail");
});

test("another's workspace looks like none", async () => {
  grace.expect(404);
  const bodies = [];
  for (const workspace of ["support", "nowhere"]) {
    assert.equal(await grace.opens(`/w/${workspace}/memories`), 404);
    bodies.push((await grace.text()).replace(/[0-9a-f-]{36}/, "…"));
  }
  assert.equal(bodies[0], bodies[1]);
  await grace.isWell("not found");
});

test("a form that did not come from our page does nothing", async () => {
  const [stone] = (await rest("GET", "/workspaces/coding/memories?q=deploy")).data;
  const send = (form, headers) => ada.context.request.post(house.url + memory(stone.id) + "/archive", { form, headers, maxRedirects: 0 });
  await ada.opens(memory(stone.id));
  const csrf = await ada.page.locator("input[name=csrf]").first().inputValue();
  await grace.opens(memory(stone.id));
  const another = await grace.page.locator("input[name=csrf]").first().inputValue();
  for (const form of [{}, { csrf: "x" }, { csrf: another }]) {
    const refused = await send(form, { Origin: house.url });
    assert.equal(refused.status(), 403);
    assert.match(await refused.text(), /This form has expired/);
  }
  for (const headers of [{ Origin: "https://evil.example" }, { Origin: "null" }, { "Sec-Fetch-Site": "cross-site" }]) {
    assert.equal((await send({ csrf }, headers)).status(), 403);
  }
  const bare = await fetch(`${house.url}/w/coding/memories`, { headers: { Authorization: "Bearer cairn_x_y" }, redirect: "manual" });
  assert.equal(bare.status, 303, "keys open no page");
  assert.equal((await rest("GET", `/workspaces/coding/memories/${stone.id}`)).state, "active");
});

test("cookies are kept from scripts, and pages from frames and caches", async () => {
  const cookies = await ada.context.cookies();
  assert(cookies.length >= 2);
  for (const cookie of cookies) assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Lax"], cookie.name);
  const response = await ada.page.goto(`${house.url}/w/coding/memories`);
  const headers = response.headers();
  assert.match(headers["content-security-policy"], /default-src 'none'; script-src 'self'/);
  assert.deepEqual([headers["cache-control"], headers["x-frame-options"], headers["referrer-policy"]], ["no-store", "DENY", "same-origin"]);
  const stylesheet = await ada.page.locator("link[rel=stylesheet]").getAttribute("href");
  const asset = await fetch(house.url + stylesheet);
  assert.match(asset.headers.get("cache-control"), /immutable/);
});

test("light or dark is one's own choice", async () => {
  await ada.opens("/w/coding/memories?kind=decision");
  await ada.page.locator("details.viewer summary").click();
  await ada.isWell("the menu");
  await ada.presses("Dark");
  assert.equal(ada.path(), "/w/coding/memories?kind=decision");
  assert.equal(await ada.page.locator("html").getAttribute("data-theme"), "dark");
  await ada.page.locator("details.viewer summary").click();
  await ada.presses("System");
  ada.isCalm();
});

test("the API document is readable in a viewer of ours", async () => {
  await ada.opens("/docs");
  // The viewer reads the whole document before it shows anything of it.
  const path = ada.page.locator(".nav-bar-path", { hasText: "/v1/workspaces/{ws}/memories" }).and(ada.page.locator("[id^=link-post]")).first();
  await path.waitFor({ timeout: 90_000 });
  await path.click();
  await ada.page.getByText("Remember something.").filter({ visible: true }).first().waitFor();
  await ada.isWell("the API document");
});

for (const { width, colorScheme } of LOOKS) {
  test(`every page fits ${width} px in ${colorScheme}`, async () => {
    const looks = { viewport: { width, height: 800 }, colorScheme, storageState: await ada.context.storageState() };
    const person = await Person.at(browser, house, looks);
    const [deploy] = (await rest("GET", "/workspaces/coding/memories?q=deploy")).data;
    const [hostile] = (await rest("GET", "/workspaces/coding/memories?freshness=suspect")).data;
    const [request] = (await rest("GET", "/workspaces/coding/deletion-requests")).data;
    const pages = {
      workspaces: "/workspaces",
      empty: "/w/support/memories",
      list: "/w/coding/memories",
      filtered: "/w/coding/memories?kind=procedure&tag=deploy",
      memory: `${memory(deploy.id)}?from=1&to=2`,
      hostile: memory(hostile.id),
      trail: "/w/coding/trail",
      requests: "/w/coding/deletion-requests",
      request: `/w/coding/deletion-requests/${request.id}`,
    };
    for (const [name, path] of Object.entries(pages)) {
      assert.equal(await person.opens(path), 200, path);
      await person.isWell(`${name} ${width} ${colorScheme}`);
    }
    await person.context.close();
  });
}
