// How a workspace is run: what waits is decided, agents and people come and go, rules are set. With scripts and without.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import * as chromium from "./browser.js";
import { Person } from "./browser.js";
import { House } from "./house.js";

const ADA = { email: "ada@example.org", password: "seven stones in a row" };
const GRACE = { name: "Grace Hopper", email: "grace@example.org", password: "nanoseconds on a wire" };
const WAYS = { scripted: {}, plain: { javaScriptEnabled: false } };

let house, browser, rest, says, ada, grace;

before(async () => {
  house = await House.open({ CAIRN_ADMIN_EMAIL: ADA.email, CAIRN_ADMIN_PASSWORD: ADA.password });
  browser = await chromium.open();
  rest = await house.signIn(ADA.email, ADA.password);
  await rest("POST", "/workspaces", { slug: "coding", name: "Coding", purpose: "What our coding agents know" });
  await rest("PUT", "/workspaces/coding/policies", { policies: { fact: { review_threshold: "always" } } });
  const agent = await rest("POST", "/workspaces/coding/agents", { name: "builder", role: "writer" });
  says = house.caller((await rest("POST", `/workspaces/coding/agents/${agent.id}/keys`, {})).key);
  const invited = await rest("POST", "/workspaces/coding/members", { email: GRACE.email, name: GRACE.name, role: "reviewer" });
  ada = await signedIn(WAYS.scripted, ADA);
  grace = await Person.at(browser, house, WAYS.plain);
  await grace.page.goto(invited.invitation);
  await grace.page.getByLabel("New password").fill(GRACE.password);
  await grace.presses("Save and sign in");
});

after(async () => {
  await browser?.close();
  await house?.close();
});

async function signedIn(looks, { email, password }) {
  const person = await Person.at(browser, house, looks);
  await person.opens("/sign-in");
  await person.page.getByLabel("Email").fill(email);
  await person.page.getByLabel("Password").fill(password);
  await person.presses("Sign in");
  return person;
}

const fact = (content) => says("POST", "/workspaces/coding/memories", { content });
const waiting = async () => (await rest("GET", "/workspaces/coding/proposals")).data.map((one) => one.memory.content);

for (const [way, looks] of Object.entries(WAYS)) {
  test(`what waits is approved and rejected in the list, and taken back, ${way}`, async () => {
    const [tea, tide] = [`Tea is served at four, ${way}.`, `The tide comes in at six, ${way}.`];
    await fact(tea);
    await fact(tide);
    const person = await signedIn(looks, GRACE);
    await person.opens("/w/coding/review");
    await person.sees(tea, tide);
    await person.isWell(`the queue ${way}`);
    await person.page.getByRole("button", { name: `Approve ${tide}` }).click();
    await person.page.getByText("Approved “").waitFor();
    await person.seesNot(`Approve ${tide}`);
    assert.deepEqual(await waiting(), [tea]);
    await person.page.getByRole("button", { name: "Undo", exact: true }).click();
    await person.page.getByText("Taken back").waitFor();
    assert.deepEqual((await waiting()).sort(), [tea, tide].sort());

    for (const text of [tea, tide]) await person.page.getByRole("checkbox", { name: `Tick ${text}` }).check();
    await person.page.getByRole("button", { name: "Reject all", exact: true }).click();
    await person.page.getByText("Rejected 2 proposals").waitFor();
    assert.deepEqual(await waiting(), []);
    await person.isWell(`an empty queue ${way}`);
    await person.context.close();
  });
}

test("a proposal is read beside what is known, and approved in other words", async () => {
  await rest("POST", "/workspaces/coding/memories", { title: "Retries", content: "The gateway retries failed requests three times." });
  await fact("The gateway retries failed requests fife times.");
  await grace.opens("/w/coding/review");
  await grace.follows("The gateway retries failed requests fife times.");
  await grace.sees("What it would say", "three times", "Why it waits", "What speaks for it");
  await grace.isWell("one proposal");
  await grace.page.getByLabel("Who is to look at it").selectOption({ label: "Grace Hopper (you)" });
  await grace.presses("Assign");
  await grace.sees("Grace Hopper is to look at it.");
  await grace.page.getByText("Say it in other words…").click();
  await grace.page.getByLabel("Text").fill("The gateway retries failed requests five times.");
  await grace.presses("Edit and approve");
  await grace.sees("Approved in your words.");
  grace.isCalm();
});

test("keys walk the queue, decide and undo", async () => {
  for (const text of ["One.", "Two.", "Three."]) await fact(`${text} By the keys.`);
  await ada.opens("/w/coding/review");
  await ada.page.keyboard.press("j");
  await ada.page.keyboard.press("j");
  await ada.page.keyboard.press("r");
  await ada.page.getByText("Rejected “").waitFor();
  assert.deepEqual((await waiting()).sort(), ["One. By the keys.", "Three. By the keys."]);
  await ada.page.keyboard.press("u");
  await ada.page.getByText("Taken back").waitFor();
  assert.equal((await waiting()).length, 3);
  await ada.page.keyboard.press("j");
  await ada.page.keyboard.press("Enter");
  await ada.page.getByText("What it would say").waitFor();
  await ada.page.keyboard.press("a");
  await ada.page.getByText("Approved “").waitFor();
  await ada.sees("What it would say");
  assert.equal((await waiting()).length, 2);
  ada.isCalm();
});

test("of two that contradict one is kept, and that is taken back", async () => {
  const tell = (content) => says("POST", "/workspaces/coding/memories", { content, kind: "discovery" });
  await tell("Service tokens are signed with RS256.");
  await tell("Service tokens are signed with HS256.");
  for (const person of [ada, grace]) {
    await person.opens("/w/coding/conflicts");
    await person.sees("RS256", "HS256");
    await person.isWell("two that contradict");
    const clash = person.page.getByRole("listitem").filter({ hasText: "Both speak of Service, tokens" }).first();
    await clash.getByLabel("Why").fill("We looked.");
    await clash.getByRole("button", { name: "Keep the newer", exact: true }).click();
    await person.page.getByText("Resolved: one is kept").waitFor();
    await clash.waitFor({ state: "detached" });
    await person.page.getByRole("button", { name: "Undo", exact: true }).click();
    await person.page.getByText("Taken back").waitFor();
    await person.sees("RS256", "HS256");
  }
});

test("a dream is begun, told, and rolled back", async () => {
  for (const content of ["Deploys run from the main branch.", "Deploys run from the main branch!"]) {
    await rest("POST", "/workspaces/coding/memories", { content, kind: "pattern", path: `/patterns/${content.length}${content.at(-1) === "!" ? "b" : "a"}.md` });
  }
  await grace.opens("/w/coding/dreams");
  await grace.sees("No dream yet");
  await grace.page.getByLabel("How").selectOption("auto");
  await grace.presses("Dream now");
  await grace.sees("It dreams.");
  for (let tries = 0; tries < 60 && /running/.test(await grace.text()); tries++) {
    await new Promise((next) => setTimeout(next, 250));
    await grace.page.reload();
  }
  await grace.sees("done", "Report");
  await grace.isWell("a dream");
  await grace.follows("Roll back…");
  await grace.sees("What it will touch");
  await grace.isWell("rolling a dream back");
  const active = async () => (await rest("GET", "/workspaces/coding/memories?kind=pattern")).data.map((one) => one.content).sort();
  assert.equal((await active()).length, 1, "the dream has made one of two");
  await grace.presses("Roll back");
  await grace.sees("Rolled back:");
  assert.deepEqual(await active(), ["Deploys run from the main branch!", "Deploys run from the main branch."]);
  grace.isCalm();
});

for (const [way, looks] of Object.entries(WAYS)) {
  test(`an agent gets a key that is shown once, ${way}`, async () => {
    const person = await signedIn(looks, ADA);
    await person.opens("/w/coding/agents");
    await person.page.getByLabel("Name", { exact: true }).fill(`nightly-${way}`);
    await person.presses("Make the agent");
    await person.sees(`nightly-${way} is there`, "No key yet");
    await person.presses("Make a key");
    await person.sees("Copy this key now: it is shown once.");
    await person.isWell("a new key");
    const key = await person.page.locator("#new-key").innerText();
    assert.equal((await house.caller(key)("GET", "/me")).workspaces[0].slug, "coding");
    await person.page.goto(person.page.url().replace(/\/keys$/, ""));
    await person.seesNot(key);
    await person.page.getByText("Revoke…").first().click();
    await person.isWell("revoking a key");
    await person.presses("Revoke it");
    await person.sees("Revoked", "revoked");
    await assert.rejects(house.caller(key)("GET", "/me"), /401/);
    await person.context.close();
  });

  test(`members are let in, changed and removed, ${way}`, async () => {
    const person = await signedIn(looks, ADA);
    const [name, email] = [`Linus ${way}`, `linus-${way}@example.org`];
    await person.opens("/w/coding/members");
    await person.page.getByLabel("Email").fill(email);
    await person.page.getByLabel("Name", { exact: true }).fill(name);
    await person.presses("Let them in");
    await person.sees(`${name} is in.`, "/invitations/");
    await person.isWell("members");
    await person.page.getByLabel(`Role of ${name}`).selectOption("auditor");
    const row = person.page.locator("tr", { hasText: name });
    await Promise.all([person.page.waitForNavigation(), row.getByRole("button", { name: "Change" }).click()]);
    await person.sees(`${name} is auditor now.`);
    await row.getByText("Remove…").click();
    await person.presses(`Remove ${name}`);
    await person.seesNot(email);
    await person.context.close();
  });

  test(`settings and retention say what they do before they do it, ${way}`, async () => {
    const person = await signedIn(looks, ADA);
    const threshold = way === "plain" ? "0.45" : "0.55";
    await person.opens("/w/coding/settings");
    await person.page.getByLabel("Review threshold", { exact: true }).fill(threshold);
    await person.isWell("settings");
    await person.presses("Save the settings");
    await person.sees("Saved.");
    assert.equal((await rest("GET", "/workspaces/coding")).settings.review_threshold.toFixed(2), threshold);
    await person.opens("/w/coding/retention");
    await person.page.getByLabel("Every kind, in days").fill("30");
    await person.presses("Show what they would take");
    await person.sees("A dry run: nothing is saved yet.");
    await person.isWell("retention tried out");
    await person.presses("Save these rules");
    await person.sees("Saved.");
    await person.context.close();
  });

  test(`a hold blocks what is asked for, ${way}`, async () => {
    const person = await signedIn(looks, ADA);
    const [subject, content] = [`customer-4711-${way}`, `Customer 4711 likes tea, ${way}.`];
    const memory = await rest("POST", "/workspaces/coding/memories", { content, kind: "preference", subject });
    await person.opens("/w/coding/holds");
    await person.sees("Nothing is on hold");
    await person.page.getByLabel("Why").fill("Case 118");
    await person.page.getByLabel("Memories, by id, one a line").fill(memory.id);
    await person.presses("Place the hold");
    await person.sees("Case 118", "1 memory");
    await person.isWell("a hold");
    await grace.opens("/w/coding/deletion-requests");
    await grace.follows("Ask for deletion");
    await grace.page.getByLabel("Everything by and about this person").fill(subject);
    await grace.page.getByLabel("Reason").fill("She asked.");
    await grace.isWell("asking for deletion");
    await grace.presses("Ask, and show what it touches");
    await grace.sees("blocked", content);
    await person.page.getByText("Lift…").click();
    await person.presses("Lift the hold");
    await person.sees("Nothing is on hold");
    await person.context.close();
  });

  test(`the trail is verified, filtered and taken out, ${way}`, async () => {
    const person = await signedIn(looks, ADA);
    await person.opens("/w/coding/trail");
    await person.presses("Verify now");
    for (let tries = 0; tries < 40 && !/sealed entries are what they were/.test(await person.text()); tries++) {
      await new Promise((next) => setTimeout(next, 250));
      // Without scripts the page is as it was until it is opened again.
      if (way === "plain") await person.page.reload();
    }
    await person.sees("sealed entries are what they were");
    await person.isWell("the audit page");
    await person.page.getByLabel("Action").fill("key.created");
    await person.presses("Filter");
    await person.page.getByText("remembered a memory").first().waitFor({ state: "detached" });
    await person.sees("made a key for an agent");
    const [file] = await Promise.all([person.page.waitForEvent("download"), person.page.getByRole("link", { name: "Export CSV" }).click()]);
    assert.match(file.suggestedFilename(), /\.csv$/);
    await person.context.close();
  });
}

test("the account shows and ends sign-ins; the instance is for those who run it", async () => {
  const elsewhere = await signedIn(WAYS.plain, ADA);
  await ada.opens("/account");
  await ada.sees("this one", "Where you are signed in");
  await ada.isWell("the account");
  await ada.opens("/instance");
  await ada.sees("Background work", "Sealing", "answers in");
  await ada.isWell("the instance");
  await ada.opens("/instance/workspaces");
  await ada.isWell("all workspaces");
  await ada.opens("/instance/people");
  await ada.isWell("people");
  grace.expect(403);
  assert.equal(await grace.opens("/instance"), 403);
  await ada.opens("/w/coding/connect");
  await ada.sees(`cairn login --url ${house.url}`, "Claude Code", "/mcp");
  await ada.isWell("connect");
  await elsewhere.opens("/account");
  await elsewhere.page.getByText("Sign out everywhere…").click();
  await elsewhere.presses("Sign out everywhere");
  await elsewhere.sees("You are signed out everywhere.");
  await ada.opens("/account");
  assert.match(ada.path(), /^\/sign-in/);
});
