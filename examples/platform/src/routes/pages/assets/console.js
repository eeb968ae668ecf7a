// Starts the API reference at /docs with the settings embedded in the page.
const settings = JSON.parse(document.getElementById("settings").textContent);
Scalar.createApiReference("#console", {
  ...settings,
  servers: [{ url: location.origin, description: "This platform" }],
});

/** Corrects roles, names and states in the API reference, for keyboards and screen readers. */
function correctAccessibility() {
  for (const box of document.querySelectorAll("[role=combobox]:not([aria-expanded])")) {
    box.setAttribute("aria-expanded", "false");
    box.setAttribute("aria-controls", box.id);
  }
  for (const button of document.querySelectorAll("button[role=none]")) button.removeAttribute("role");
  for (const button of document.querySelectorAll("button[aria-label^=Copy][aria-controls]"))
    if (!document.getElementById(button.getAttribute("aria-controls"))) button.removeAttribute("aria-controls");
  for (const editor of document.querySelectorAll("[role=textbox].cm-content:not([aria-label])"))
    editor.setAttribute("aria-label", "Request body");
  // While the client dialog covers the reference, make the reference unreachable.
  const [reference, client] = document.querySelectorAll("main");
  if (reference) reference.inert = client?.checkVisibility({ visibilityProperty: true }) ?? false;
  // Keep only the first of several live sections as a landmark.
  const [, ...duplicates] = document.querySelectorAll("section[aria-live]:not([role])");
  for (const duplicate of duplicates) duplicate.setAttribute("role", "group");
}
let isScheduled = false;
new MutationObserver(() => {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    correctAccessibility();
  });
}).observe(document.body, { childList: true, subtree: true, attributeFilter: ["class", "style"] });
// The client dialog is hidden only at the end of its transition.
document.addEventListener("transitionend", correctAccessibility);
