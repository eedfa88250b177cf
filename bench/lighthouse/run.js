// Lighthouse over the dashboard's main pages, on a server with the demo; says the scores and fails below 95.
import lighthouse, { desktopConfig } from "lighthouse";
import { chromium } from "playwright-core";
import { findChromium } from "../../tests/browser/browser.js";
import { openDemo, PASSWORD } from "../../tests/browser/demo.js";

const BAR = 95;
const CATEGORIES = ["performance", "accessibility", "best-practices"];
const PORT = 9333;

const { house, rest } = await openDemo();
const args = [`--remote-debugging-port=${PORT}`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
const browser = await chromium.launchPersistentContext("", { executablePath: findChromium(), args });
let held = true;
try {
  const page = await browser.newPage();
  await page.goto(`${house.url}/sign-in`);
  await page.getByLabel("Email").fill("ada@harbor.example");
  await page.getByLabel("Password").fill(PASSWORD);
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Sign in" }).click()]);
  const [memory] = (await rest("GET", "/workspaces/coding/memories?kind=decision")).data;
  const pages = { overview: "overview", search: "search?q=how+do+we+sign+service+tokens%3F", memory: `memories/${memory.id}`, audit: "trail" };
  console.log(["page", ...CATEGORIES].join(" | "));
  for (const [name, path] of Object.entries(pages)) {
    const options = { port: PORT, onlyCategories: CATEGORIES, disableStorageReset: true, logLevel: "error" };
    const { lhr } = await lighthouse(`${house.url}/w/coding/${path}`, options, desktopConfig);
    const scores = CATEGORIES.map((category) => Math.round(lhr.categories[category].score * 100));
    held &&= scores.every((score) => score >= BAR);
    console.log([name, ...scores].join(" | "));
    for (const category of CATEGORIES) {
      for (const { id } of lhr.categories[category].auditRefs) {
        const audit = lhr.audits[id];
        if (audit.score !== null && audit.score < 0.9 && audit.scoreDisplayMode !== "informative") console.log(`  ${category}: ${id} ${audit.displayValue ?? ""}`);
      }
    }
  }
  console.log(`bar: at least ${BAR} in each: ${held ? "held" : "MISSED"}`);
} finally {
  await browser.close();
  await house.close();
}
process.exit(held ? 0 : 1);
