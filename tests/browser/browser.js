// A real browser that is watched: no error in the console, no broken policy, no request to anybody else.
import { strict as assert } from "node:assert";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC = ["/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

export function findChromium() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const places = [process.env.CHROMIUM, ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...MAC];
  const found = places.filter(Boolean).find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  assert(found, "there is no Chromium; install one or name it in CHROMIUM");
  return found;
}

/** The browser; `--no-sandbox` because root, as in a container, has none. */
export async function open() {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: findChromium(), args });
}

/** Somebody at a browser of their own. */
export class Person {
  static async at(browser, house, looks = {}) {
    const person = new Person();
    person.house = house;
    person.troubles = [];
    person.expected = [];
    person.context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...looks });
    person.context.setDefaultTimeout(15_000);
    person.page = await person.context.newPage();
    person.watch();
    return person;
  }

  watch() {
    const trouble = (text) => this.troubles.push(text);
    this.page.on("pageerror", (error) => trouble(`error on ${this.page.url()}: ${error}`));
    this.page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) trouble(`console on ${this.page.url()}: ${message.text()}`);
    });
    this.page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== this.house.url && !["data:", "blob:"].includes(protocol)) trouble(`asked ${request.url()}`);
    });
    this.page.on("requestfailed", (request) => {
      // Who leaves a page before its icon is there makes the browser drop it.
      const why = request.failure()?.errorText;
      if (why !== "net::ERR_ABORTED") trouble(`failed: ${request.url()} ${why}`);
    });
  }

  /** A status that the next page may have; a browser reports it in its console. */
  expect(status) {
    this.expected.push(new RegExp(`status of ${status} `));
  }

  async opens(path) {
    const response = await this.page.goto(new URL(path, this.house.url).href);
    return response.status();
  }

  async presses(name) {
    await Promise.all([this.page.waitForNavigation(), this.page.getByRole("button", { name, exact: true }).click()]);
  }

  async follows(name, options = {}) {
    await Promise.all([this.page.waitForNavigation(), this.page.getByRole("link", { name, ...options }).first().click()]);
  }

  path() {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  text() {
    return this.page.locator("main").innerText();
  }

  async sees(...words) {
    const text = await this.text();
    for (const word of words) assert(text.includes(word), `“${word}” is not on ${this.path()}:\n${text}`);
  }

  async seesNot(...words) {
    const text = await this.text();
    for (const word of words) assert(!text.includes(word), `“${word}” is on ${this.path()}:\n${text}`);
  }

  /** What sticks out to the side, in words; nothing where nothing does. */
  async sticksOut() {
    return this.page.evaluate(() => {
      const edge = document.documentElement.clientWidth;
      const wide = document.documentElement.scrollWidth - edge;
      if (wide <= 0) return null;
      const out = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > edge + 0.5);
      return `${wide} px stick out: ${out.slice(0, 3).map((one) => one.outerHTML.slice(0, 160)).join(" | ")}`;
    });
  }

  /** Nothing sticks out to the side, and nothing went wrong. */
  async isWell(what) {
    assert.equal(await this.sticksOut(), null, `${what} ${this.path()}`);
    if (process.env.CAIRN_SHOTS) {
      await this.page.screenshot({ path: join(process.env.CAIRN_SHOTS, `${what.replace(/\W+/g, "-")}.png`), fullPage: true });
    }
    this.isCalm();
  }

  isCalm() {
    const troubles = this.troubles.filter((text) => !this.expected.some((pattern) => pattern.test(text)));
    assert.deepEqual(troubles, []);
  }
}
