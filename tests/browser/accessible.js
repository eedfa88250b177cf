// What axe-core finds on a page. Nothing is excused.
import { strict as assert } from "node:assert";
import axe from "axe-core";

/** Each violation as a text, with the first places where it is. */
export async function violations(person) {
  // Evaluated from outside: the page's own policy lets no script in that is not ours.
  await person.page.evaluate(axe.source);
  const { violations } = await person.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 3).map((node) => `    ${node.html}\n    ${node.failureSummary}`).join("\n")}`);
}

export async function isAccessible(person, what) {
  assert.deepEqual(await violations(person), [], `${what} ${person.path()}`);
}
