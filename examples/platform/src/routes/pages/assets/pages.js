// Progressive enhancement: every page works without this script.

const main = document.getElementById("main");
const liveState = document.getElementById("live-state");

// Makes buttons copy an element's text.
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
  if (button === null) return;
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.textContent = "Copied";
  } catch {
    // Without https, there is no clipboard API, so select the text to let the user copy it with the keyboard.
    if (source.select) source.select();
    else getSelection()?.selectAllChildren(source);
    button.textContent = "Press Ctrl+C";
  }
  setTimeout(() => {
    button.textContent = label;
  }, 2_000);
});

// Makes buttons generate and show a secret.
document.addEventListener("click", ({ target }) => {
  const tools = target instanceof Element ? target.closest("[data-secret]") : null;
  if (tools === null) return;
  const input = document.getElementById(tools.dataset.secret);
  const show = tools.querySelector("[data-show]");
  const isShown =
    target === show ? input.type === "password" : target.closest("[data-generate]") || input.type === "text";
  if (target.closest("[data-generate]"))
    input.value = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
  input.type = isShown ? "text" : "password";
  show.textContent = isShown ? "Hide" : "Show";
  show.setAttribute("aria-pressed", String(Boolean(isShown)));
});
for (const tools of document.querySelectorAll("[data-secret]")) tools.hidden = false;

function showCopyButtons() {
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
}

/** How long to wait between two reloads, to stay below the rate limit (D-91). */
const pauseMs = 500;

const isVisible = () => document.visibilityState === "visible";

/**
 * Follows the page's event stream. An event names the topics that changed. The parts of the page that show
 * these topics (`data-live="endpoint delivery"`) are fetched again and updated.
 *
 * All pages in a browser share one stream, since a browser opens only six HTTP/1.1 connections to a host: the visible page that
 * holds the lock opens the stream and forwards its events. While no page is visible, there is no connection.
 */
function followStream(url) {
  const [path, since] = url.split("?since=");
  const channel = new BroadcastChannel(`offers ${path}`);
  let lastId = decodeURIComponent(since);
  let stale = new Set();
  let timer;
  let refreshedAt = -Infinity;
  let stream;
  let leave;

  /** Refreshes the parts that show the topics. @param topics undefined if everything may have changed */
  const refreshTopics = (id, topics) => {
    lastId = id;
    for (const part of parts()) if (topics === undefined || isAbout(part, topics)) stale.add(part.id);
    refreshSoon();
  };
  const refreshSoon = () => {
    // Refresh a hidden page only when it is shown.
    if (stale.size > 0 && timer === undefined && isVisible())
      timer = setTimeout(refresh, Math.max(50, refreshedAt + pauseMs - performance.now()));
  };
  const broadcast = (message) => {
    receive(message);
    channel.postMessage(message);
  };
  const receive = ({ heard, state, ask, position }) => {
    if (heard !== undefined) refreshTopics(...heard);
    if (state !== undefined) showStatus(state);
    if (ask && stream !== undefined) channel.postMessage({ position: lastId });
    if (position !== undefined && isAfter(position, lastId)) refreshTopics(position);
  };
  channel.addEventListener("message", ({ data }) => receive(data));

  function connect() {
    stream = new EventSource(`${path}?since=${encodeURIComponent(lastId)}`);
    const pass = ({ type, data, lastEventId }) => {
      const { topics = [type] } = JSON.parse(data);
      broadcast({ heard: [lastEventId, type === "missed" ? undefined : topics] });
    };
    for (const type of ["missed", "changed", "notification"]) stream.addEventListener(type, pass);
    stream.addEventListener("open", () => broadcast({ state: "" }));
    stream.addEventListener("error", () => {
      broadcast({ state: " Connection lost; reconnecting." });
      // EventSource gives up if the response is not a stream: the server is restarting, or the session has ended. A refresh shows which.
      if (stream.readyState !== EventSource.CLOSED) return;
      const closedStream = stream;
      setTimeout(() => {
        if (stream !== closedStream) return;
        broadcast({ heard: [lastId] });
        connect();
      }, 2_000);
    });
  }

  function join() {
    if (leave !== undefined) return;
    const leaving = new AbortController();
    const lead = () =>
      new Promise((resolve) => {
        leaving.signal.addEventListener("abort", resolve);
        connect();
      });
    // Without https, there are no locks, so each visible page opens a separate stream.
    const led = navigator.locks?.request(`offers ${path}`, { signal: leaving.signal }, lead) ?? lead();
    led.catch(() => undefined);
    leave = () => {
      leaving.abort();
      stream?.close();
      stream = undefined;
      leave = undefined;
    };
    channel.postMessage({ ask: true });
    refreshSoon();
  }

  async function refresh() {
    const ids = stale;
    stale = new Set();
    refreshedAt = performance.now();
    let waitMs = pauseMs;
    try {
      const wanted = [...ids].map((id) => `${id}=${document.getElementById(id)?.dataset.version ?? ""}`);
      const response = await fetch(location.href, { headers: { Accept: "text/html", "X-Part": wanted.join(" ") } });
      if (new URL(response.url).pathname.endsWith("/sign-in")) return handleSignOut();
      if (response.status === 429) waitMs = Number(response.headers.get("Retry-After")) * 1_000;
      if (response.status >= 500 || response.status === 429) throw new Error("try again");
      if (response.ok) show(new DOMParser().parseFromString(await response.text(), "text/html"), ids);
    } catch {
      for (const id of ids) stale.add(id);
      waitMs = Math.max(waitMs, 1_000);
    }
    timer = stale.size > 0 && isVisible() ? setTimeout(refresh, waitMs) : undefined;
  }

  if (parts().length === 0) return;
  document.addEventListener("visibilitychange", () => (isVisible() ? join() : leave?.()));
  addEventListener("pagehide", () => leave?.());
  addEventListener("pageshow", ({ persisted }) => persisted && join());
  if (isVisible()) join();
}

/**
 * Returns whether a stream position, `process-count` or a number, is later than another. Returns true for positions from different
 * processes, which cannot be compared.
 */
function isAfter(position, other) {
  const [[, process, count], [, otherProcess, otherCount]] = [position, other].map((id) => /^(.*?)(\d*)$/.exec(id));
  return process !== otherProcess || Number(count) > Number(otherCount);
}

/** Shows the sign-in page, unless that would lose input. Submitting the form then asks the user to sign in, and keeps the input. */
function handleSignOut() {
  if (!isTyping) location.reload();
  else showStatus(" You have been signed out. Your input is kept when you submit the form.");
}

let isTyping = false;
document.addEventListener("input", ({ target }) => {
  isTyping ||= target.form?.method === "post";
});

const parts = () => [...document.querySelectorAll("[data-live]")];

const isAbout = (part, topics) => part.dataset.live.split(" ").some((topic) => topics.includes(topic));

/** Shows the parts that have changed. */
function show(page, ids) {
  const states = () =>
    [...document.querySelectorAll("[data-live] [role=status]")].map((element) => element.textContent).join();
  const before = states();
  for (const id of ids) {
    const old = document.getElementById(id);
    const fresh = page.getElementById(id);
    if (old === null || fresh === null) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement : undefined;
    const changed = [...fresh.querySelectorAll("tr[id], li[id]")].filter(
      (row) => document.getElementById(row.id)?.textContent !== row.textContent,
    );
    update(old, fresh);
    for (const { id } of changed) document.getElementById(id)?.classList.add("fresh");
    if (focused === undefined || document.activeElement === focused) continue;
    // If a row was moved or an element removed, keep the next Tab stop within the part.
    if (!focused.isConnected) old.tabIndex = -1;
    (focused.isConnected ? focused : old).focus({ preventScroll: true });
  }
  if (page.title) document.title = page.title;
  // Remove the notice, because the user's action is no longer news.
  if (states() !== before) document.querySelector("#main > [data-own]")?.remove();
  showCopyButtons();
  showSelectedCounts();
}

/** Attributes that users and this script set, not the server. */
const localAttributes = new Set(["open", "tabindex"]);

/**
 * Makes the old element equal to the fresh one. Keeps elements that both contain, to preserve focus, selection, input and open details, and
 * because screen readers announce a changed status only in an element that was there before.
 */
function update(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !localAttributes.has(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const freshChildren = [...fresh.childNodes];
  let next = old.firstChild;
  for (const child of freshChildren) {
    const match = matchOf(next, child, freshChildren.slice(freshChildren.indexOf(child) + 1));
    if (match === undefined) {
      old.insertBefore(document.importNode(child, true), next);
      continue;
    }
    if (match === next) next = match.nextSibling;
    else old.insertBefore(match, next);
    update(match, child);
  }
  while (next !== null) {
    const { nextSibling } = next;
    next.remove();
    next = nextSibling;
  }
}

/**
 * Finds the node from `next` on that becomes `child`: the one with the same id or, without an id, the next of its type that no later child
 * needs.
 */
function matchOf(next, child, later) {
  for (let node = next; node !== null; node = node.nextSibling) {
    if (isSame(node, child)) return node;
    if (!child.id && later.some((laterChild) => isSame(node, laterChild))) return undefined;
  }
  return undefined;
}

const isSame = (a, b) => a.nodeName === b.nodeName && (a.id ?? "") === (b.id ?? "");

function showStatus(text) {
  if (liveState && liveState.textContent !== text) liveState.textContent = text;
}

/** The time after which a form can be submitted again, because no event reports that the user stopped loading. */
const sendingMs = 60_000;

// Prevents double submits and shows that work is in progress.
const sending = new Map();
const endSubmit = (form) => {
  sending.get(form)?.removeAttribute("aria-busy");
  sending.delete(form);
  form.removeAttribute("aria-busy");
};
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (sending.has(form)) return event.preventDefault();
  sending.set(form, event.submitter);
  setTimeout(endSubmit, sendingMs, form);
  if (form.method !== "post") return;
  form.setAttribute("aria-busy", "true");
  event.submitter?.setAttribute("aria-busy", "true");
  if (form.dataset.busy) showStatus(` ${form.dataset.busy}`);
});
// The page may be shown again from the back/forward cache.
addEventListener("pageshow", () => [...sending.keys()].forEach(endSubmit));

// Shows how many of a form's boxes are selected, next to its actions.
function showSelectedCounts() {
  for (const element of document.querySelectorAll("[data-selected]")) {
    const count = element.closest("form").querySelectorAll("input[type=checkbox]:checked").length;
    const text = count === 0 ? "" : `${count} selected`;
    if (element.textContent !== text) element.textContent = text;
    element.hidden = count === 0;
  }
}
document.addEventListener("change", showSelectedCounts);
// Browsers restore selected boxes when the user goes back.
addEventListener("pageshow", showSelectedCounts);

// Fills in the time zone of a user who has not chosen one (D-115).
for (const input of document.querySelectorAll("input[data-time-zone]"))
  input.value = Intl.DateTimeFormat().resolvedOptions().timeZone;

showCopyButtons();
if (document.body.dataset.liveStream) followStream(document.body.dataset.liveStream);

// Focus the first invalid input.
main?.querySelector("[aria-invalid]")?.focus();
