// What axe-core finds on a page. Nothing is excused.
import { strict as assert } from "node:assert";
import axe from "axe-core";

export async function isAccessible(person, what) {
  // Evaluated from outside: the page's own policy lets no script in that is not ours.
  await person.page.evaluate(axe.source);
  const { violations } = await person.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const told = violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 3).map((node) => `    ${node.html}\n    ${node.failureSummary}`).join("\n")}`);
  assert.deepEqual(told, [], `${what} ${person.path()}`);
}
