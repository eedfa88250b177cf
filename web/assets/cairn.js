// Laid over pages that work without it: keys, live parts, copying. What it does, the markup says (see lib.rs).
"use strict";

(() => {
  const SOON = 400; // events come in swarms: wait for the rest of one
  const REST = 2000; // and read a page anew no more often than this
  const CHORD = 1500; // how long `g` waits for its letter

  document.documentElement.dataset.scripted = "";
  const find = (selector, within = document) => within.querySelector(selector);

  // Keys.

  const typing = (element) => element.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
  const rows = () => [...document.querySelectorAll("main [data-row]")].filter((row) => row.checkVisibility());
  const handle = (row) => find("[data-open]", row) ?? find("a[href], button, summary", row) ?? row;

  function step(by) {
    const all = rows();
    const at = all.indexOf(document.activeElement.closest("[data-row]"));
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    const link = next && handle(next);
    link?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  function press(letter) {
    const row = document.activeElement.closest("[data-row]");
    const button = (row && find(`[data-press="${letter}"]`, row)) ?? (row ? null : find(`main [data-press="${letter}"]`));
    button?.click();
    return Boolean(button);
  }

  function search() {
    const field = find("main [data-search]");
    if (field) {
      field.focus();
      field.select();
    } else if (document.body.dataset.base) {
      const link = find('[data-go="s"]') ?? find('[data-go="m"]');
      if (link) location.assign(link.href);
    }
  }

  let chord = 0;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const went = Date.now() - chord < CHORD;
    chord = 0;
    if (went) {
      const link = /^[a-z]$/.test(event.key) && find(`[data-go="${event.key}"]`);
      if (link) {
        event.preventDefault();
        location.assign(link.href);
      }
      return;
    }
    const acts = {
      g: () => (chord = Date.now()),
      "/": search,
      "?": () => find("#keys")?.togglePopover(),
      j: () => step(1),
      k: () => step(-1),
      a: () => press("a"),
      r: () => press("r"),
      u: () => find("#flash [data-undo]")?.click(),
    };
    if (Object.hasOwn(acts, event.key)) {
      event.preventDefault();
      acts[event.key]();
    }
  });

  // The slider says which day it stands for while it is moved.

  document.addEventListener("input", ({ target }) => {
    if (!target.matches("input[type=range][data-days]")) return;
    const day = new Date(`${target.dataset.days}T00:00:00Z`);
    day.setUTCDate(day.getUTCDate() - Number(target.value));
    const shown = target.parentElement.querySelector("output");
    if (shown) shown.textContent = Number(target.value) === 0 ? "now" : day.toISOString().slice(0, 10);
  });

  // Copying.

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const said = button.textContent;
    try {
      await navigator.clipboard.writeText(find(button.dataset.copy).textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(find(button.dataset.copy));
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = said), REST);
  });

  // Live parts: a word comes that something changed, and the page is read anew.

  const live = () => [...document.querySelectorAll("[data-live][id]")];
  const concerns = (part, kinds) => part.dataset.live === "*" || part.dataset.live.split(" ").some((kind) => kinds.has(kind));
  const busy = (part) => part.contains(document.activeElement) && typing(document.activeElement);

  const heard = new Set();
  let due = 0;
  let last = 0;

  async function refresh() {
    due = 0;
    if (document.hidden || heard.size === 0) return;
    const kinds = new Set(heard);
    heard.clear();
    last = Date.now();
    const parts = live().filter((part) => concerns(part, kinds));
    if (parts.length === 0) return;
    const answer = await fetch(location.href, { headers: { "X-Cairn-Live": "1" } }).catch(() => null);
    if (!answer?.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of parts) {
      const fresh = page.getElementById(part.id);
      if (!fresh || busy(part) || fresh.innerHTML === part.innerHTML) continue;
      const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      part.replaceWith(fresh);
      window.htmx?.process(fresh);
      if (focused) [...fresh.querySelectorAll("a[href]")].find((link) => link.getAttribute("href") === focused)?.focus();
    }
  }

  function hear(kind) {
    heard.add(kind);
    due ||= setTimeout(refresh, Math.max(SOON, last + REST - Date.now()));
  }

  document.addEventListener("visibilitychange", () => !document.hidden && heard.size > 0 && !due && refresh());

  if (live().length > 0 && document.body.dataset.events) {
    const source = new EventSource(document.body.dataset.events);
    source.addEventListener("changed", (event) => hear(JSON.parse(event.data).kind));
    addEventListener("pagehide", () => source.close());
  }
})();
