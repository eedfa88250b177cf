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
    const button = (row && find(`[data-press="${letter}"]`, row)) ?? (row ? null : find(`main [data-press="${letter}"]:not([data-row] *)`));
    button?.click();
    return Boolean(button);
  }

  // What was decided leaves its list: the keys go on where it stood, never from the top.
  let stood = -1;
  document.addEventListener("htmx:before:request", () => (stood = rows().indexOf(document.activeElement.closest("[data-row]"))));
  document.addEventListener("htmx:after:swap", () => {
    if (stood < 0 || document.activeElement.closest("[data-row]")) return;
    const all = rows();
    const row = all[Math.min(stood, all.length - 1)];
    if (row) handle(row)?.focus();
  });

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

  // What has to be said without a page from the server: above the page, and within sight wherever one has scrolled to.

  const here = () => location.pathname + location.search;
  const hush = () => find("#flash [data-said]")?.remove();

  function say(text, href = here(), label = "Reload") {
    if (find("#flash [data-said] p")?.textContent === text) return;
    hush();
    const banner = Object.assign(document.createElement("div"), { className: "banner flash warn", role: "status" });
    banner.dataset.said = "";
    const words = Object.assign(document.createElement("p"), { textContent: text });
    banner.append(words, Object.assign(document.createElement("a"), { className: "button plain", href, textContent: label }));
    find("#flash")?.append(banner);
  }

  // An answer goes into the page only if it holds the part that was asked for. An error or the way in holds none, and
  // htmx would take the old part away without a word.

  const passes = (status) => status === 429 || status >= 500;
  const isEntrance = (url) => new URL(url).pathname === "/sign-in";

  document.addEventListener("htmx:after:request", (event) => {
    const { request, response, select, sourceElement, text } = event.detail.ctx;
    const page = new DOMParser().parseFromString(text, "text/html");
    if (response.status < 400 && (!select || find(select, page))) return hush();
    event.preventDefault();
    const asked = request.method === "GET" && sourceElement.matches("form");
    if (asked && !passes(response.status)) return location.assign(request.action);
    if (isEntrance(response.raw.url)) return say("You are signed out, and this was not done.");
    if (response.status < 400) return location.assign(response.raw.url);
    const said = ["h1", ".lead"].map((part) => find(part, page)?.textContent.trim()).filter(Boolean).join(": ");
    say(said || `The server answered ${response.status}.`, asked ? request.action : here(), asked ? "Try again" : "Reload");
  });

  document.addEventListener("htmx:error", ({ detail: { ctx, error } }) => {
    // A question that a newer one took the place of is no error.
    if (!ctx || error?.name === "AbortError") return;
    say("The server did not answer, so this page may not show what holds.");
  });

  // Live parts: a word comes that something changed, and the page is read anew.

  const live = () => [...document.querySelectorAll("[data-live][id]")];
  const concerns = (part, kinds) => kinds.has("*") || part.dataset.live === "*" || part.dataset.live.split(" ").some((kind) => kinds.has(kind));

  // Nothing is taken away from under somebody: no half-written word, no tick, nothing that they opened or just sent.
  const opened = new WeakSet();
  document.addEventListener("click", ({ target }) => target.closest("summary") && opened.add(target.closest("details")));

  function filledIn(field) {
    if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
    if (!field.matches("select")) return field.value !== field.defaultValue;
    const [first, ...others] = field.options;
    return field.selectedOptions[0] !== ([first, ...others].find((option) => option.defaultSelected) ?? first);
  }

  const busy = (part) =>
    (part.contains(document.activeElement) && typing(document.activeElement)) ||
    find(".htmx-request", part) !== null ||
    [...part.querySelectorAll("details[open]")].some((one) => opened.has(one)) ||
    [...part.querySelectorAll("input, textarea, select")].some(filledIn);

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
    if (answer?.redirected) return say("You are signed out, and this page no longer changes.");
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    let kept = false;
    for (const part of parts) {
      const fresh = page.getElementById(part.id);
      if (!fresh || fresh.innerHTML === part.innerHTML) continue;
      if (busy(part)) {
        kept ||= fresh.textContent !== part.textContent;
        continue;
      }
      const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      part.replaceWith(fresh);
      window.htmx?.process(fresh);
      if (focused) [...fresh.querySelectorAll("a[href]")].find((link) => link.getAttribute("href") === focused)?.focus();
    }
    if (kept) say("This has changed meanwhile. What you began here stays until you reload.");
  }

  function hear(kind) {
    heard.add(kind);
    due ||= setTimeout(refresh, Math.max(SOON, last + REST - Date.now()));
  }

  // Browsers keep few lines open to one host: a tab that nobody sees holds none, and catches up when it is seen again.

  let source = null;
  const listens = () => source !== null && source.readyState !== EventSource.CLOSED;

  function listen() {
    source = new EventSource(document.body.dataset.events);
    source.addEventListener("changed", (event) => hear(JSON.parse(event.data).kind));
  }

  function seen() {
    if (document.hidden) source?.close();
    else if (!listens()) {
      listen();
      hear("*");
    }
  }

  if (live().length > 0 && document.body.dataset.events) {
    if (!document.hidden) listen();
    document.addEventListener("visibilitychange", seen);
    addEventListener("pageshow", ({ persisted }) => persisted && seen());
    addEventListener("pagehide", () => source?.close());
  }
})();
