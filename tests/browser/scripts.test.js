// What is laid over the pages: nothing vanishes without a word, nothing is taken from under somebody, and what stands
// beside a list is about that list.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import * as chromium from "./browser.js";
import { ADA, PASSWORD, openNew, signedIn } from "./demo.js";

const W = "/w/coding";

let house, browser, rest, says;

before(async () => {
  ({ house, rest, says } = await openNew());
  browser = await chromium.open();
  await rest("POST", "/workspaces", { slug: "support", name: "Support", purpose: "What customers ask" });
  await rest("PUT", "/workspaces/coding/policies", { policies: { fact: { review_threshold: "always" } } });
  for (const kind of ["decision", "pattern"]) await says("POST", "/workspaces/coding/memories", { kind, content: `A ${kind}, the first.` });
});

after(async () => {
  await browser?.close();
  await house?.close();
});

const fact = (content) => says("POST", "/workspaces/coding/memories", { content });
const waiting = async () => (await rest("GET", "/workspaces/coding/proposals")).data.map((one) => one.memory.content).sort();
const said = (person) => person.page.locator("#flash [data-said]");

/** Opens a page and waits until it hears of changes. */
async function listens(page, path) {
  await Promise.all([page.waitForResponse((answer) => answer.url().endsWith("/events")), page.goto(house.url + path)]);
}

/** Signs out as in another tab: this one does not know, and may only now ask to hear of changes. */
async function signsOutElsewhere(person) {
  person.expect(401);
  const csrf = await person.page.locator("input[name=csrf]").first().inputValue();
  const out = await person.context.request.post(`${house.url}/sign-out`, { form: { csrf }, headers: { Origin: house.url } });
  assert(out.ok());
}

test("who was signed out is led to the way in by a filter, and on to what was asked", async () => {
  const ada = await signedIn(browser, house);
  await ada.opens(`${W}/memories`);
  await signsOutElsewhere(ada);
  await ada.page.getByLabel("Kind").selectOption("decision");
  await ada.page.waitForURL(/\/sign-in\?next=/);
  await ada.page.getByLabel("Email").fill(ADA);
  await ada.page.getByLabel("Password").fill(PASSWORD);
  await ada.presses("Sign in");
  assert.match(ada.path(), /^\/w\/coding\/memories\?.*kind=decision/);
  await ada.sees("A decision, the first.");
  ada.isCalm();
  await ada.context.close();
});

test("who was signed out is told that nothing was approved, and the list stays", async () => {
  const text = "Waits for somebody who is signed in.";
  await fact(text);
  const ada = await signedIn(browser, house);
  await ada.opens(`${W}/review`);
  await signsOutElsewhere(ada);
  await ada.page.getByRole("button", { name: `Approve ${text}` }).click();
  await said(ada).getByText("You are signed out, and this was not done.").waitFor();
  await ada.sees(text);
  assert.deepEqual(await waiting(), [text]);
  await said(ada).getByRole("link", { name: "Reload" }).click();
  await ada.page.waitForURL(/\/sign-in\?next=/);
  ada.isCalm();
  await ada.context.close();
});

test("what the server refuses is said in its words, and what it never heard as well", async () => {
  const [text] = await waiting();
  const ada = await signedIn(browser, house);
  await ada.opens(`${W}/review`);
  const approves = () => ada.page.getByRole("button", { name: `Approve ${text}` }).click();
  await ada.page.evaluate(() => document.querySelectorAll("form.verdict [name=csrf]").forEach((one) => (one.value = "x")));
  ada.expect(403);
  await approves();
  await said(ada).getByText("This form has expired").waitFor();
  await ada.sees(text);

  await ada.page.route("**/decide", (route) => route.abort());
  ada.expected.push(/Failed to fetch|ERR_FAILED/);
  await approves();
  await said(ada).getByText("The server did not answer").waitFor();
  await ada.page.unroute("**/decide");

  ada.expect(503);
  await ada.page.route("**/review?*", (route) => route.fulfill({ status: 503, contentType: "text/html", body: "<h1>Away for a moment</h1>" }));
  await ada.page.getByLabel("Kind").selectOption("fact");
  await said(ada).getByText("Away for a moment").waitFor();
  await ada.sees(text);
  await ada.page.unroute("**/review?*");
  await Promise.all([ada.page.waitForURL(/kind=fact/), said(ada).getByRole("link", { name: "Try again" }).click()]);
  await ada.sees(text);
  assert.deepEqual(await waiting(), [text]);
  ada.isCalm();
  await ada.context.close();
});

test("eight tabs are open, the last one hears, and the first catches up when it is seen again", async () => {
  const ada = await signedIn(browser, house);
  // A headless browser shows all its tabs at once; a person sees one.
  const turns = (page, hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  const tabs = [];
  for (let n = 1; n <= 8; n += 1) {
    if (tabs.length > 0) await turns(tabs.at(-1), true);
    const tab = await ada.context.newPage();
    tab.setDefaultTimeout(15_000);
    tabs.push(tab);
    await listens(tab, `${W}/memories`);
  }
  await says("POST", "/workspaces/coding/memories", { kind: "discovery", content: "Heard in the eighth tab." });
  await tabs.at(-1).getByText("Heard in the eighth tab.").first().waitFor();
  assert.equal(await tabs[0].getByText("Heard in the eighth tab.").count(), 0, "a tab that nobody sees holds no line");
  await turns(tabs[0], false);
  await tabs[0].getByText("Heard in the eighth tab.").first().waitFor();
  assert.equal(await tabs[0].locator("#count").innerText(), await tabs.at(-1).locator("#count").innerText());
  ada.isCalm();
  await ada.context.close();
});

test("ticks, half a sentence and what was opened stay while others write", async () => {
  const ada = await signedIn(browser, house);
  const [text] = await waiting();
  await listens(ada.page, `${W}/review`);
  const tick = ada.page.getByRole("checkbox", { name: `Tick ${text}` });
  await tick.check();
  await fact("Written while somebody ticked.");
  await said(ada).getByText("This has changed meanwhile.").waitFor();
  assert(await tick.isChecked());
  await ada.seesNot("Written while somebody ticked.");
  await ada.isWell("changed meanwhile");
  await said(ada).getByRole("link", { name: "Reload" }).click();
  await ada.page.getByText("Written while somebody ticked.").first().waitFor();

  await rest("POST", "/workspaces/coding/tasks", { key: "long", title: "A long task" });
  await listens(ada.page, `${W}/tasks/long`);
  await ada.page.getByText("Abandon…").click();
  const run = await says("POST", "/workspaces/coding/sessions", { agent_tool: "test", task: "long" });
  await says("POST", `/workspaces/coding/sessions/${run.id}/checkpoints`, { next_step: "Go on.", progress: [{ item: "Begin", status: "completed" }] });
  await said(ada).getByText("This has changed meanwhile.").waitFor();
  assert(await ada.page.getByRole("button", { name: "Abandon it" }).isVisible());
  ada.isCalm();
  await ada.context.close();
});

test("an export after a filter holds what the filter says", async () => {
  const ada = await signedIn(browser, house);
  await ada.opens(`${W}/trail`);
  const clear = ada.page.locator("#clear");
  assert.equal(await clear.isVisible(), false);
  await ada.page.getByLabel("Action").fill("agent.created");
  await ada.page.getByLabel("Action").press("Enter");
  await ada.page.waitForURL(/action=agent\.created/);
  await clear.waitFor({ state: "visible" });
  const link = ada.page.getByRole("link", { name: "Export CSV" });
  assert.match(await link.getAttribute("href"), /action=agent\.created/);
  const [file] = await Promise.all([ada.page.waitForEvent("download"), link.click()]);
  const lines = await new Response(await file.createReadStream()).text();
  assert.match(lines, /agent\.created/);
  assert.doesNotMatch(lines, /memory\.remembered/);

  const [memory] = (await rest("GET", "/workspaces/coding/memories?kind=decision")).data;
  await ada.page.getByLabel("Target").fill(memory.id);
  await ada.page.getByLabel("Target").press("Enter");
  await ada.page.getByText("Exports know no target").waitFor();
  await ada.page.getByLabel("From").fill("2020-01-01");
  await ada.page.waitForURL(/from=2020/);
  await clear.click();
  await ada.page.waitForURL(/\/trail$/);
  assert.doesNotMatch(await link.getAttribute("href"), /action|from/);
  ada.isCalm();
  await ada.context.close();
});

test("what is said beside a list is about that list", async () => {
  const ada = await signedIn(browser, house);
  await ada.opens(`${W}/memories`);
  await ada.page.getByLabel("Kind").selectOption("pattern");
  await ada.page.waitForFunction(() => document.querySelector("#count").textContent === "1 memory");
  await ada.opens(`${W}/receipts`);
  await ada.page.getByLabel("Told of memory").fill("that one");
  await ada.page.getByLabel("Told of memory").press("Enter");
  await ada.page.getByText("Not all of this address was understood").waitFor();
  await ada.page.getByLabel("Told of memory").fill("");
  await ada.page.getByLabel("Told of memory").press("Enter");
  await ada.page.getByText("Not all of this address was understood").waitFor({ state: "detached" });

  await fact("Counted in the menu.");
  await ada.opens(`${W}/review`);
  const count = async () => Number.parseInt(await ada.page.locator('[data-go="r"] .waits, .places a[href$="/review"] .waits').first().innerText(), 10);
  const before = await count();
  await ada.page.getByRole("button", { name: "Reject Counted in the menu." }).click();
  await ada.page.getByText("Rejected “").waitFor();
  assert.equal(await count(), before - 1);
  ada.isCalm();
  await ada.context.close();
});

test("the switcher says what each workspace is for", async () => {
  const ada = await signedIn(browser, house);
  await ada.opens(`${W}/memories`);
  await ada.page.locator("details.switcher summary").click();
  const sheet = await ada.page.locator("details.switcher .sheet").innerText();
  for (const purpose of ["What our coding agents know", "What customers ask"]) assert(sheet.includes(purpose), sheet);
  await ada.context.close();
});
