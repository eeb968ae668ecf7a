// Starts the reference of /docs with the settings in the page.
const settings = JSON.parse(document.getElementById("settings").textContent);
Scalar.createApiReference("#console", {
  ...settings,
  servers: [{ url: location.origin, description: "This platform" }],
});

/** Adds roles and names for screen readers that the reference lacks. */
function completeRoles() {
  for (const box of document.querySelectorAll("[role=combobox]:not([aria-expanded])")) {
    box.setAttribute("aria-expanded", "false");
    box.setAttribute("aria-controls", box.id);
  }
  for (const button of document.querySelectorAll("button[role=none]")) button.removeAttribute("role");
  for (const button of document.querySelectorAll("button[aria-label^=Copy][aria-controls]"))
    if (!document.getElementById(button.getAttribute("aria-controls"))) button.removeAttribute("aria-controls");
  for (const editor of document.querySelectorAll("[role=textbox].cm-content:not([aria-label])"))
    editor.setAttribute("aria-label", "Request body");
  // The client is a dialog above the reference, which must be unreachable behind it.
  const [reference, client] = document.querySelectorAll("main");
  if (reference) reference.inert = client?.checkVisibility({ visibilityProperty: true }) ?? false;
  const [, ...copies] = document.querySelectorAll("section[aria-live]:not([role])");
  for (const copy of copies) copy.setAttribute("role", "group");
}
let isDue = false;
new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    completeRoles();
  });
}).observe(document.body, { childList: true, subtree: true, attributeFilter: ["class", "style"] });
// The client becomes invisible at the end of its transition.
document.addEventListener("transitionend", completeRoles);
