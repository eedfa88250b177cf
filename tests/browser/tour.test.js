// Every page, light and dark, wide and narrow: nothing sticks out, nothing is loaded from afar, nothing keeps anybody out.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { violations } from "./accessible.js";
import * as chromium from "./browser.js";
import { Person } from "./browser.js";
import { ARTEFACTS, openDemo, signedIn } from "./demo.js";
import { House } from "./house.js";
import { pages } from "./pages.js";

const LOOKS = [1440, 390].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ width, colorScheme })));
const EXTREMES = [360, 2560];
const MISSING = { nowhere: 404 };

let house, rest, browser, ada, all, doors, fresh;

before(async () => {
  ({ house, rest } = await openDemo());
  browser = await chromium.open();
  ada = await signedIn(browser, house);
  await rest("POST", "/workspaces", { slug: "empty", name: "Empty", purpose: "Where nothing was remembered yet" });
  const empty = Object.entries(await pages(rest, "empty")).filter(([, path]) => path.startsWith("/w/empty/"));
  all = { ...(await pages(rest)), ...Object.fromEntries(empty.map(([name, path]) => [`empty-${name}`, path])) };
  // Nobody has come into the second house yet.
  fresh = await House.open();
  const { invitation } = await rest("POST", "/workspaces/coding/members", { email: "new@harbor.example", name: "Nora New", role: "reader" });
  doors = { "sign-in": [house, "/sign-in"], invitation: [house, invitation], "set-up": [fresh, fresh.setUpLink], docs: [house, "/docs"] };
});

after(async () => {
  await browser?.close();
  await house?.close();
  await fresh?.close();
});

async function looking(looks) {
  const person = await Person.at(browser, house, { ...looks, storageState: await ada.context.storageState() });
  person.expect(404);
  return person;
}

/** What is wrong with the page that somebody has opened; it is kept as a picture. */
async function wrongs(person, name, status, wanted = 200) {
  const { width } = person.page.viewportSize();
  const scheme = await person.page.evaluate(() => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  await person.page.screenshot({ path: join(ARTEFACTS, `${name}-${width}-${scheme}.png`), fullPage: true });
  const out = await person.sticksOut();
  const found = [...(status === wanted ? [] : [`answered ${status}`]), ...(out ? [out] : []), ...(await violations(person))];
  return found.map((text) => `${name} ${person.path()}: ${text}`);
}

for (const { width, colorScheme } of LOOKS) {
  const looks = { viewport: { width, height: 900 }, colorScheme };

  test(`every page in ${colorScheme}, ${width} px wide`, async () => {
    assert(Object.keys(all).length >= 80, `only ${Object.keys(all)}`);
    const person = await looking(looks);
    // All of them are told together: who mends one wants to know the others.
    const wrong = [];
    for (const [name, path] of Object.entries(all)) wrong.push(...(await wrongs(person, name, await person.opens(path), MISSING[name])));
    await person.opens(all.agent);
    await person.presses("Make a key");
    await person.sees("it is shown once");
    wrong.push(...(await wrongs(person, "new-key", 200)));
    assert.deepEqual(wrong, []);
    person.isCalm();
    await person.context.close();
  });

  test(`every way in, in ${colorScheme}, ${width} px wide`, async () => {
    const wrong = [];
    for (const [name, [home, path]] of Object.entries(doors)) {
      const stranger = await Person.at(browser, home, looks);
      const status = await stranger.opens(path);
      if (name === "docs") await stranger.page.locator(".nav-bar-path").first().waitFor({ state: "attached", timeout: 90_000 });
      wrong.push(...(await wrongs(stranger, name, status)));
      stranger.isCalm();
      await stranger.context.close();
    }
    assert.deepEqual(wrong, []);
  });
}

test("every page fits a small telephone and a large wall", async () => {
  const wrong = [];
  for (const width of EXTREMES) {
    const person = await looking({ viewport: { width, height: 900 } });
    for (const [name, path] of Object.entries(all)) {
      await person.opens(path);
      await person.page.screenshot({ path: join(ARTEFACTS, `${name}-${width}.png`), fullPage: true });
      const out = await person.sticksOut();
      if (out) wrong.push(`${name} ${width}: ${out}`);
    }
    person.isCalm();
    await person.context.close();
  }
  assert.deepEqual(wrong, []);
});

test("what a finger touches is large enough", async () => {
  const looks = { viewport: { width: 390, height: 900 }, hasTouch: true, isMobile: true };
  const small = [];
  const measure = async (person, name) => {
    const found = await person.page.evaluate(() =>
      [...document.querySelectorAll("button, .button, summary, select, textarea, input:not([type=hidden], [type=checkbox], [type=radio]), label:has(> [type=checkbox], > [type=radio])")]
        .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.5)
        .map((one) => `${Math.round(one.getBoundingClientRect().height)} px: ${one.outerHTML.slice(0, 120)}`),
    );
    small.push(...found.map((text) => `${name} ${text}`));
  };
  const person = await looking(looks);
  for (const [name, path] of Object.entries(all)) {
    await person.opens(path);
    await measure(person, name);
  }
  await person.context.close();
  for (const name of ["sign-in", "invitation", "set-up"]) {
    const [home, path] = doors[name];
    const stranger = await Person.at(browser, home, looks);
    await stranger.opens(path);
    await measure(stranger, name);
    await stranger.context.close();
  }
  assert.deepEqual(small, []);
});

test("a page is light on the wire, the first visit included", async () => {
  const person = await looking({});
  for (const [name, path] of Object.entries(all)) {
    const wire = [];
    const session = await person.context.newCDPSession(person.page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    session.on("Network.loadingFinished", ({ encodedDataLength }) => wire.push(encodedDataLength));
    await person.page.goto(new URL(path, house.url).href, { waitUntil: "load" });
    await session.detach();
    const bytes = wire.reduce((sum, one) => sum + one, 0);
    assert(bytes > 0 && bytes <= 100 * 1024, `${name}: ${bytes} bytes`);
  }
  await person.context.close();
});

test("no page can be put into a frame of somebody else's", async () => {
  const person = await Person.at(browser, house, { storageState: await ada.context.storageState() });
  await person.page.setContent(`<iframe src="${house.url}${all.overview}"></iframe>`);
  await person.page.waitForTimeout(500);
  const [frame] = person.page.frames().slice(1);
  assert(!frame || (await frame.locator("#main").count()) === 0, "the page is in the frame");
  await person.context.close();
});

test("nobody is sent away after signing in or choosing a theme", async () => {
  for (const next of ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "/%09/evil.example"]) {
    const person = await Person.at(browser, house);
    await person.opens(`/sign-in?next=${encodeURIComponent(next)}`);
    await person.page.getByLabel("Email").fill("grace@harbor.example");
    await person.page.getByLabel("Password").fill("seven stones in a row");
    await person.presses("Sign in");
    assert.equal(new URL(person.page.url()).origin, house.url, next);
    await person.context.close();
  }
  await ada.opens(all.overview);
  const csrf = await ada.page.locator("input[name=csrf]").first().inputValue();
  const sent = await ada.context.request.post(`${house.url}/theme`, { form: { csrf, theme: "dark", next: "https://evil.example/" }, headers: { Origin: house.url }, maxRedirects: 0 });
  assert.equal(sent.headers().location, "/");
});
