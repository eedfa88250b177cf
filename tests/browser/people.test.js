// People and their roles: who runs the server lets others in and out, and a writer and an auditor do their work. With scripts and without.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import * as chromium from "./browser.js";
import { Person } from "./browser.js";
import { ADA, PASSWORD, openNew, signedIn } from "./demo.js";

const WAYS = { scripted: {}, plain: { javaScriptEnabled: false } };
const W = "/w/coding";

let house, browser, rest, says;

before(async () => {
  ({ house, rest, says } = await openNew());
  browser = await chromium.open();
});

after(async () => {
  await browser?.close();
  await house?.close();
});

/** Somebody new at a browser, through the link that they were sent. */
async function joined(role, way) {
  const email = `${role}-${way}@harbor.example`;
  const { invitation } = await rest("POST", "/workspaces/coding/members", { email, name: `${role} ${way}`, role });
  const person = await Person.at(browser, house, WAYS[way]);
  await chooses(person, invitation, PASSWORD);
  return person;
}

async function chooses(person, link, password) {
  await person.page.goto(link);
  await person.page.getByLabel("New password").fill(password);
  await person.presses("Save and sign in");
}

// Wrong passwords slow down whoever comes from the same address: then one waits, as a person would.
async function signIn(email, password) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await house.signIn(email, password);
    } catch (error) {
      if (tries > 20 || !/: 429 /.test(error.message)) throw error;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

async function refused(email, password) {
  await assert.rejects(signIn(email, password), /401/);
}

for (const way of Object.keys(WAYS)) {
  // Wrong passwords slow down all who come from here: they are tried in one way only.
  const isRefused = way === Object.keys(WAYS)[0] ? refused : async () => {};

  test(`a password is changed, and another sign-in is ended, ${way}`, async () => {
    const email = `reader-${way}@harbor.example`;
    const [here, there, elsewhere] = [await joined("reader", way), await signedIn(browser, house, email), await signedIn(browser, house, email)];
    await here.opens("/account");
    if (isRefused === refused) {
      await here.page.getByLabel("Present password").fill("not that one");
      await here.page.getByLabel("New password").fill("nanoseconds on a wire");
      await here.presses("Change it");
      await refused(email, "nanoseconds on a wire");
    }
    await there.opens("/account");
    const others = there.page.locator("tr").filter({ hasNotText: "this one" }).getByRole("button", { name: /^End it/ });
    assert.equal(await others.count(), 2);
    await Promise.all([there.page.waitForNavigation(), others.first().click()]);
    assert.equal(await others.count(), 1);
    const out = [];
    for (const person of [here, elsewhere]) {
      await person.opens("/account");
      if (person.path().startsWith("/sign-in")) out.push(person);
    }
    assert.equal(out.length, 1, "one was ended, the other was not");
    await there.page.getByLabel("Present password").fill(PASSWORD);
    await there.page.getByLabel("New password").fill("nanoseconds on a wire");
    await there.presses("Change it");
    await there.opens("/account");
    assert.equal(await others.count(), 0, "all other sign-ins end");
    await isRefused(email, PASSWORD);
    await signIn(email, "nanoseconds on a wire");
    await there.isWell(`the account ${way}`);
    for (const person of [here, there, elsewhere]) await person.context.close();
  });

  test(`who runs the server gives a new link, and deletes a person, ${way}`, async () => {
    const lost = await joined("reviewer", way);
    const [name, email] = [`reviewer ${way}`, `reviewer-${way}@harbor.example`];
    const ada = await signedIn(browser, house, ADA, WAYS[way]);
    await ada.opens("/instance/people");
    const row = ada.page.locator("tr", { hasText: email });
    await row.getByText("New link…").click();
    await ada.isWell(`a new link ${way}`);
    await Promise.all([ada.page.waitForNavigation(), row.getByRole("button", { name: "Make a new link" }).click()]);
    const link = await ada.page.locator("#link").innerText();
    await isRefused(email, PASSWORD);
    await lost.opens(`${W}/overview`);
    assert.match(lost.path(), /^\/sign-in/, "who gets a new link is signed out");
    await chooses(lost, link, "nanoseconds on a wire");
    assert.equal(lost.path(), `${W}/overview`);

    await ada.opens("/instance/people");
    await row.getByText("Delete…").click();
    await Promise.all([ada.page.waitForNavigation(), row.getByRole("button", { name: `Delete ${name}` }).click()]);
    await ada.seesNot(email);
    await lost.opens(`${W}/overview`);
    assert.match(lost.path(), /^\/sign-in/);
    await isRefused(email, "nanoseconds on a wire");
    ada.isCalm();
    for (const person of [ada, lost]) await person.context.close();
  });

  test(`a writer puts away, brings back, gives up and asks, and decides nothing, ${way}`, async () => {
    const kept = await says("POST", "/workspaces/coding/memories", { kind: "pattern", content: `Deploys are small, ${way}.` });
    await rest("POST", "/workspaces/coding/tasks", { key: `lost-${way}`, title: `A lost cause, ${way}` });
    const writer = await joined("writer", way);
    await writer.opens(`${W}/memories/${kept.id}`);
    await writer.presses("Archive");
    await writer.sees("Archived.");
    await writer.presses("Undo");
    await writer.sees("Restored.", "active");
    assert.equal(await writer.page.getByRole("button", { name: "Still true: verify" }).count(), 0);
    await writer.page.getByText("Ask for deletion…").click();
    await writer.page.getByLabel("Why must it go?").fill(`It is wrong, ${way}.`);
    await writer.presses("Ask for deletion");
    await writer.sees("Asked.", "pending");
    for (const name of ["Approve", "Reject"]) assert.equal(await writer.page.getByRole("button", { name }).count(), 0, name);
    await writer.opens(`${W}/tasks/lost-${way}`);
    await writer.page.getByText("Abandon…").click();
    await writer.isWell(`giving up ${way}`);
    await writer.presses("Abandon it");
    await writer.sees("abandoned");
    assert.equal((await rest("GET", `/workspaces/coding/tasks/lost-${way}`)).state, "abandoned");
    await writer.opens(`${W}/conflicts`);
    assert.equal(await writer.page.getByRole("button", { name: "Look for more" }).count(), 0);
    writer.expect(403);
    for (const place of ["trail", "holds", "agents", "settings"]) assert.equal(await writer.opens(`${W}/${place}`), 403, place);
    writer.isCalm();
    await writer.context.close();
  });

  test(`an auditor reads the trail, places and lifts a hold, and writes nothing, ${way}`, async () => {
    const [memory] = (await rest("GET", "/workspaces/coding/memories?kind=pattern")).data;
    const auditor = await joined("auditor", way);
    await auditor.follows("Audit", { exact: true });
    await auditor.page.getByLabel("Action").fill("memory.remembered");
    await auditor.presses("Filter");
    await auditor.page.waitForURL(/action=memory\.remembered/);
    const [file] = await Promise.all([auditor.page.waitForEvent("download"), auditor.page.getByRole("link", { name: "Export JSONL" }).click()]);
    assert.match(file.suggestedFilename(), /\.jsonl$/);
    await auditor.opens(`${W}/holds`);
    await auditor.page.getByLabel("Why").fill(`Case 118, ${way}`);
    await auditor.page.getByLabel("Memories, by id, one a line").fill(memory.id);
    await auditor.presses("Place the hold");
    await auditor.sees(`Case 118, ${way}`, "1 memory");
    await auditor.page.getByText("Lift…").click();
    await auditor.presses("Lift the hold");
    await auditor.sees("Nothing is on hold");
    await auditor.opens(`${W}/memories/${memory.id}`);
    for (const name of ["Archive", "Ask for deletion"]) assert.equal(await auditor.page.getByRole("button", { name }).count(), 0, name);
    await auditor.opens(`${W}/retention`);
    await auditor.isWell(`retention, read ${way}`);
    auditor.expect(403);
    for (const place of ["agents", "members", "settings"]) assert.equal(await auditor.opens(`${W}/${place}`), 403, place);
    auditor.isCalm();
    await auditor.context.close();
  });

  test(`somebody looks for more contradictions, ${way}`, async () => {
    const ada = await signedIn(browser, house, ADA, WAYS[way]);
    await ada.opens(`${W}/conflicts`);
    await ada.presses("Look for more");
    await ada.sees("Looked at");
    await ada.isWell(`looked for more ${way}`);
    await ada.context.close();
  });
}
