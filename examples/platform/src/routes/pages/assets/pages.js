// Progressive enhancement: every page works without this script.

const main = document.getElementById("main");
const liveState = document.getElementById("live-state");

// Makes buttons copy an element's text.
const labelResets = new WeakMap();
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
  if (button === null) return;
  const source = document.getElementById(button.dataset.copy);
  // Restore the label first, because the text may be the outcome of an earlier click.
  labelResets.get(button)?.();
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
  const resetLabel = () => {
    clearTimeout(timer);
    button.textContent = label;
  };
  const timer = setTimeout(resetLabel, 2_000);
  labelResets.set(button, resetLabel);
});

// Makes buttons generate and show a secret.
document.addEventListener("click", ({ target }) => {
  const tools = target instanceof Element ? target.closest("[data-secret]") : null;
  if (tools === null) return;
  const input = document.getElementById(tools.dataset.secret);
  const showButton = tools.querySelector("[data-show]");
  let isShown = input.type === "text";
  if (target === showButton) isShown = !isShown;
  if (target.closest("[data-generate]")) {
    input.value = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
    isShown = true;
  }
  input.type = isShown ? "text" : "password";
  showButton.textContent = isShown ? "Hide" : "Show";
  showButton.setAttribute("aria-pressed", String(isShown));
});
for (const tools of document.querySelectorAll("[data-secret]")) tools.hidden = false;

function showCopyButtons() {
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
}

/** The minimum time between two refreshes, to stay below the rate limit (D-91). */
const minRefreshIntervalMs = 500;

const isVisible = () => document.visibilityState === "visible";

/**
 * Follows the page's event stream. An event lists the topics that changed. The script then refreshes the parts of the page that show
 * these topics (`data-live="endpoint delivery"`).
 *
 * All pages in a browser share one stream, because a browser opens only six HTTP/1.1 connections to a host. The visible page that
 * holds the lock opens the stream and forwards its events. While no page is visible, there is no connection.
 */
function followStream(url) {
  const [path, since] = url.split("?since=");
  const channel = new BroadcastChannel(`offers ${path}`);
  let lastId = decodeURIComponent(since);
  let staleIds = new Set();
  let timer;
  let refreshedAt = -Infinity;
  let stream;
  let unsubscribe;

  /** Refreshes the parts that show the topics. @param topics undefined if everything may have changed */
  const refreshTopics = (id, topics) => {
    lastId = id;
    for (const part of findLiveParts()) if (topics === undefined || showsAny(part, topics)) staleIds.add(part.id);
    scheduleRefresh();
  };
  const scheduleRefresh = () => {
    // Refresh a hidden page only when it becomes visible.
    if (staleIds.size > 0 && timer === undefined && isVisible())
      timer = setTimeout(refresh, Math.max(50, refreshedAt + minRefreshIntervalMs - performance.now()));
  };
  const broadcast = (message) => {
    receive(message);
    channel.postMessage(message);
  };
  const receive = ({ change, status, isPositionRequest, position }) => {
    if (change !== undefined) refreshTopics(change.id, change.topics);
    if (status !== undefined) showStatus(status);
    if (isPositionRequest && stream !== undefined) channel.postMessage({ position: lastId });
    if (position !== undefined && isAfter(position, lastId)) refreshTopics(position);
  };
  channel.addEventListener("message", ({ data }) => receive(data));

  function connect() {
    stream = new EventSource(`${path}?since=${encodeURIComponent(lastId)}`);
    const forwardEvent = ({ type, data, lastEventId }) => {
      // A notification event contains no topics, so use its type as the topic.
      const { topics = [type] } = JSON.parse(data);
      broadcast({ change: { id: lastEventId, topics: type === "missed" ? undefined : topics } });
    };
    for (const type of ["missed", "changed", "notification"]) stream.addEventListener(type, forwardEvent);
    stream.addEventListener("open", () => broadcast({ status: "" }));
    stream.addEventListener("error", () => {
      broadcast({ status: " Connection lost. Reconnecting…" });
      // EventSource stops if the response is not a stream, because the server is restarting or the session has ended. Refresh to find out.
      if (stream.readyState !== EventSource.CLOSED) return;
      const closedStream = stream;
      setTimeout(() => {
        if (stream !== closedStream) return;
        broadcast({ change: { id: lastId } });
        connect();
      }, 2_000);
    });
  }

  function subscribe() {
    if (unsubscribe !== undefined) return;
    const controller = new AbortController();
    const connectUntilAborted = () =>
      new Promise((resolve) => {
        controller.signal.addEventListener("abort", resolve);
        connect();
      });
    // Without https, there are no locks, so each visible page opens a separate stream.
    const connection =
      navigator.locks?.request(`offers ${path}`, { signal: controller.signal }, connectUntilAborted) ??
      connectUntilAborted();
    // An aborted lock request rejects.
    connection.catch(() => undefined);
    unsubscribe = () => {
      controller.abort();
      stream?.close();
      stream = undefined;
      unsubscribe = undefined;
    };
    channel.postMessage({ isPositionRequest: true });
    scheduleRefresh();
  }

  async function refresh() {
    const ids = staleIds;
    staleIds = new Set();
    refreshedAt = performance.now();
    let waitMs = minRefreshIntervalMs;
    try {
      const wantedParts = [...ids].map((id) => `${id}=${document.getElementById(id)?.dataset.version ?? ""}`);
      const headers = { Accept: "text/html", "X-Part": wantedParts.join(" ") };
      const response = await fetch(location.href, { headers });
      if (new URL(response.url).pathname.endsWith("/sign-in")) return handleSignOut();
      if (response.status === 429) waitMs = Number(response.headers.get("Retry-After")) * 1_000;
      if (response.status >= 500 || response.status === 429) throw new Error("try again");
      if (response.ok) updateParts(new DOMParser().parseFromString(await response.text(), "text/html"), ids);
    } catch {
      for (const id of ids) staleIds.add(id);
      waitMs = Math.max(waitMs, 1_000);
    }
    timer = staleIds.size > 0 && isVisible() ? setTimeout(refresh, waitMs) : undefined;
  }

  if (findLiveParts().length === 0) return;
  document.addEventListener("visibilitychange", () => (isVisible() ? subscribe() : unsubscribe?.()));
  addEventListener("pagehide", () => unsubscribe?.());
  addEventListener("pageshow", ({ persisted }) => persisted && subscribe());
  if (isVisible()) subscribe();
}

/**
 * Returns whether a stream position, such as `process-count` or a number, is later than the other position. Returns true for positions
 * from different processes, because they cannot be compared.
 */
function isAfter(position, otherPosition) {
  const [, process, count] = matchPosition(position);
  const [, otherProcess, otherCount] = matchPosition(otherPosition);
  return process !== otherProcess || Number(count) > Number(otherCount);
}

const matchPosition = (position) => /^(.*?)(\d*)$/.exec(position);

/**
 * Shows the sign-in page, unless the user has entered input. In that case, submitting the form asks the user to sign in, and preserves the
 * input.
 */
function handleSignOut() {
  if (!hasInput) location.reload();
  else showStatus(" You have been signed out. Your input is kept when you submit the form.");
}

let hasInput = false;
document.addEventListener("input", ({ target }) => {
  hasInput ||= target.form?.method === "post";
});

const findLiveParts = () => [...document.querySelectorAll("[data-live]")];

const showsAny = (part, topics) => part.dataset.live.split(" ").some((topic) => topics.includes(topic));

/** Updates the parts with these ids from a newly fetched page. */
function updateParts(page, ids) {
  const readStatuses = () =>
    [...document.querySelectorAll("[data-live] [role=status]")].map((element) => element.textContent).join();
  const statusesBefore = readStatuses();
  for (const id of ids) {
    const oldPart = document.getElementById(id);
    const freshPart = page.getElementById(id);
    if (oldPart === null || freshPart === null) continue;
    const focusedElement = oldPart.contains(document.activeElement) ? document.activeElement : undefined;
    const changedRows = [...freshPart.querySelectorAll("tr[id], li[id]")].filter(
      (row) => document.getElementById(row.id)?.textContent !== row.textContent,
    );
    updateNode(oldPart, freshPart);
    for (const { id } of changedRows) document.getElementById(id)?.classList.add("fresh");
    if (focusedElement === undefined || document.activeElement === focusedElement) continue;
    // If the focused element was moved, focus it again. If it was removed, focus the part, so that the next Tab stop is in it.
    if (!focusedElement.isConnected) oldPart.tabIndex = -1;
    const target = focusedElement.isConnected ? focusedElement : oldPart;
    target.focus({ preventScroll: true });
  }
  if (page.title) document.title = page.title;
  // Remove the notice about the user's last action, because it may be outdated.
  if (readStatuses() !== statusesBefore) document.querySelector("#main > [data-own]")?.remove();
  showCopyButtons();
  showSelectedCounts();
}

/** Attributes that users or this script set, and that the server does not send. */
const localAttributes = new Set(["open", "tabindex"]);

/**
 * Makes the old node equal to the fresh node. Reuses the elements that both contain, which preserves focus, selection, input and
 * open details. Also, screen readers announce a changed status only in an existing element.
 */
function updateNode(oldNode, freshNode) {
  if (oldNode.nodeType !== Node.ELEMENT_NODE) {
    if (oldNode.data !== freshNode.data) oldNode.data = freshNode.data;
    return;
  }
  for (const { name } of [...oldNode.attributes])
    if (!freshNode.hasAttribute(name) && !localAttributes.has(name)) oldNode.removeAttribute(name);
  for (const { name, value } of freshNode.attributes)
    if (oldNode.getAttribute(name) !== value) oldNode.setAttribute(name, value);
  const freshChildren = [...freshNode.childNodes];
  let next = oldNode.firstChild;
  for (const child of freshChildren) {
    const match = findMatch(next, child, freshChildren.slice(freshChildren.indexOf(child) + 1));
    if (match === undefined) {
      oldNode.insertBefore(document.importNode(child, true), next);
      continue;
    }
    if (match === next) next = match.nextSibling;
    else oldNode.insertBefore(match, next);
    updateNode(match, child);
  }
  while (next !== null) {
    const { nextSibling } = next;
    next.remove();
    next = nextSibling;
  }
}

/**
 * Finds the existing node, starting at `next`, that can become `child`. It has the same id or, without an id, the same type, unless a later
 * child needs it.
 */
function findMatch(next, child, laterChildren) {
  for (let node = next; node !== null; node = node.nextSibling) {
    if (canBecome(node, child)) return node;
    if (!child.id && laterChildren.some((laterChild) => canBecome(node, laterChild))) return undefined;
  }
  return undefined;
}

const canBecome = (node, child) => node.nodeName === child.nodeName && (node.id ?? "") === (child.id ?? "");

function showStatus(text) {
  if (liveState && liveState.textContent !== text) liveState.textContent = text;
}

/** How long a submitted form stays busy. The limit is needed because no event reports that the user stopped the request. */
const busyTimeoutMs = 60_000;

// Prevents double submits and marks the submitted form as busy.
const submitters = new Map();
const endSubmit = (form) => {
  submitters.get(form)?.removeAttribute("aria-busy");
  submitters.delete(form);
  form.removeAttribute("aria-busy");
};
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (submitters.has(form)) return event.preventDefault();
  submitters.set(form, event.submitter);
  setTimeout(endSubmit, busyTimeoutMs, form);
  if (form.method !== "post") return;
  form.setAttribute("aria-busy", "true");
  event.submitter?.setAttribute("aria-busy", "true");
  if (form.dataset.busy) showStatus(` ${form.dataset.busy}`);
});
// The page may be shown again from the back/forward cache.
addEventListener("pageshow", () => [...submitters.keys()].forEach(endSubmit));

// Shows the number of selected boxes next to the form's actions.
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
