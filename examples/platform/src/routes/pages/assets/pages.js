// Progressive enhancement: every page works without this script.

const main = document.getElementById("main");
const liveState = document.getElementById("live-state");

// Buttons that copy the text of an element.
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
  if (button === null) return;
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    // Without https there is no clipboard API: select the text to copy it by keyboard.
    getSelection()?.selectAllChildren(source);
    button.textContent = "Press Ctrl+C";
  }
  setTimeout(() => {
    button.textContent = label;
  }, 2_000);
});

function showCopyButtons() {
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
}

/** Between two reloads, to stay below the rate limit (D-91). */
const pauseMs = 500;

/**
 * Follows the event stream of the page. An event names changed topics; the page is fetched again, and its parts of these topics
 * (`data-live="endpoint delivery"`) replace the old ones.
 */
function follow(address) {
  let lastId;
  let stale = new Set();
  let timer;
  let refreshedAt = -Infinity;
  const url = () =>
    lastId === undefined ? address : address.replace(/since=.*/, `since=${encodeURIComponent(lastId)}`);

  function connect() {
    const stream = new EventSource(url());
    const hear = (event) => {
      lastId = event.lastEventId;
      const { topics = [event.type] } = JSON.parse(event.data);
      for (const part of event.type === "missed" ? parts() : partsOf(topics)) stale.add(part.id);
      if (stale.size > 0 && timer === undefined)
        timer = setTimeout(refresh, Math.max(50, refreshedAt + pauseMs - performance.now()));
    };
    for (const type of ["missed", "changed", ...shownTopics()]) stream.addEventListener(type, hear);
    stream.addEventListener("open", () => say(""));
    stream.addEventListener("error", () => {
      say(" Connection lost; reconnecting.");
      // EventSource gives up when the response is no stream: the server restarts, or the session has ended; a refresh shows which.
      if (stream.readyState !== EventSource.CLOSED) return;
      stream.close();
      setTimeout(() => {
        for (const part of parts()) stale.add(part.id);
        timer ??= setTimeout(refresh);
        connect();
      }, 2_000);
    });
  }

  async function refresh() {
    const ids = stale;
    stale = new Set();
    refreshedAt = performance.now();
    let waitMs = pauseMs;
    try {
      const response = await fetch(location.href, { headers: { Accept: "text/html", "X-Part": "1" } });
      // Signed out: show the sign-in page.
      if (new URL(response.url).pathname.endsWith("/sign-in")) return location.reload();
      if (response.status === 429) waitMs = Number(response.headers.get("Retry-After")) * 1_000;
      if (response.status >= 500 || response.status === 429) throw new Error("try again");
      if (response.ok) swap(new DOMParser().parseFromString(await response.text(), "text/html"), ids);
    } catch {
      for (const id of ids) stale.add(id);
      waitMs = Math.max(waitMs, 1_000);
    }
    timer = stale.size > 0 ? setTimeout(refresh, waitMs) : undefined;
  }

  if (parts().length > 0) connect();
}

const parts = () => [...document.querySelectorAll("[data-live]")];

const topicsOf = (part) => part.dataset.live.split(" ");

const shownTopics = () => [...new Set(parts().flatMap(topicsOf))];

const partsOf = (topics) => parts().filter((part) => topicsOf(part).some((topic) => topics.includes(topic)));

/** Replaces changed parts, and keeps input, open details and focus. */
function swap(page, ids) {
  for (const id of ids) {
    const old = document.getElementById(id);
    const fresh = page.getElementById(id);
    if (old === null || fresh === null || old.innerHTML === fresh.innerHTML) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    keepInputs(old, fresh);
    const changed = [...fresh.querySelectorAll("[id]")].filter((element) => {
      const before = document.getElementById(element.id);
      return before?.textContent !== element.textContent && element.matches("tr, li");
    });
    // Screen readers announce changes of a status only while its element stays the same.
    const spoken = [...old.querySelectorAll("[role=status][id]")];
    for (const element of spoken) {
      const next = fresh.querySelector(`#${CSS.escape(element.id)}`);
      if (next === null) continue;
      const text = next.textContent;
      next.replaceWith(element);
      setTimeout(() => {
        if (element.textContent !== text) element.textContent = text;
      }, 20);
    }
    old.replaceChildren(...fresh.childNodes);
    for (const element of changed) element.classList.add("fresh");
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }
  showCopyButtons();
}

function keepInputs(old, fresh) {
  for (const input of old.querySelectorAll("input[id], textarea[id], select[id]")) {
    const next = fresh.querySelector(`#${CSS.escape(input.id)}`);
    if (next === null || next.disabled || next.type === "hidden") continue;
    if (next.type === "checkbox" || next.type === "radio") next.checked = input.checked;
    else next.value = input.value;
  }
  for (const details of old.querySelectorAll("details[id][open]"))
    fresh.querySelector(`#${CSS.escape(details.id)}`)?.setAttribute("open", "");
}

function say(text) {
  if (liveState && liveState.textContent !== text) liveState.textContent = text;
}

// Prevents double submits.
const sent = new WeakSet();
document.addEventListener("submit", (event) => {
  if (sent.has(event.target)) event.preventDefault();
  else sent.add(event.target);
  setTimeout(() => sent.delete(event.target), 5_000);
});

// The time zone of a user who has not chosen one (D-115).
for (const input of document.querySelectorAll("input[data-time-zone]"))
  input.value = Intl.DateTimeFormat().resolvedOptions().timeZone;

showCopyButtons();
if (document.body.dataset.liveStream) follow(document.body.dataset.liveStream);

// Focus the first invalid input.
main?.querySelector("[aria-invalid]")?.focus();
