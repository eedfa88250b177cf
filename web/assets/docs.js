// Dresses the API viewer in the colours of the house before it starts; follows the chosen theme.
(() => {
  const viewer = document.querySelector("rapi-doc");
  const chosen = document.documentElement.dataset.theme;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const dress = () => {
    const dark = chosen === "dark" || (chosen !== "light" && system.matches);
    const colours = dark
      ? { theme: "dark", "bg-color": "#161412", "text-color": "#e8e6e2", "nav-bg-color": "#1c1a17", "nav-text-color": "#b5b0a8", "primary-color": "#86cdb0", "nav-accent-color": "#86cdb0" }
      : { theme: "light", "bg-color": "#ffffff", "text-color": "#27231d", "nav-bg-color": "#f8f7f4", "nav-text-color": "#5d574e", "primary-color": "#1c5c49", "nav-accent-color": "#1c5c49" };
    for (const [name, value] of Object.entries(colours)) viewer.setAttribute(name, value);
  };
  viewer.setAttribute("regular-font", "ui-sans-serif, system-ui, sans-serif");
  viewer.setAttribute("mono-font", "ui-monospace, Menlo, Consolas, monospace");
  dress();
  system.addEventListener("change", dress);
  // It nests one menu in another and names neither: whoever goes from landmark to landmark could not tell them apart.
  const names = { "nav.nav-bar": "API", "nav.nav-scroll": "Operations" };
  const label = () => {
    for (const [menu, name] of Object.entries(names)) viewer.shadowRoot.querySelector(`${menu}:not([aria-label])`)?.setAttribute("aria-label", name);
  };
  customElements.whenDefined("rapi-doc").then(() => new MutationObserver(label).observe(viewer.shadowRoot, { childList: true, subtree: true }));
})();
