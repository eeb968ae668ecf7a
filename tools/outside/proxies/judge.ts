import { setTimeout as sleep } from "node:timers/promises";
import type { Sent } from "./cases.ts";
import type { LoggedRequest, ProxyServer } from "./proxy-servers.ts";
import type { Exchange, RawResponse } from "./raw-request.ts";
import type { SeenRequest, Upstream } from "./upstream.ts";

/** Why proxy and upstream may see two paths: what they differ in has no effect. */
const pathRules = [
  { reason: "the upstream refuses a path that the proxy has simplified", applies: (status: number) => status >= 400 },
  {
    reason: "D-46: several slashes at the start are one",
    applies: (_: number, { path }: LoggedRequest, seen: string) =>
      /^\/\//.test(seen) && seen.replace(/^\/+/, "/") === path,
  },
  {
    reason: "RFC 3986, section 2.2: an encoded slash is part of an id, and does not divide a path",
    applies: (_: number, __: LoggedRequest, seen: string) =>
      /^\/offers\/contact\/new\/[^/]+%2F\.\.%2F\.\.%2Ftest$/.test(seen),
  },
] as const;

/** How often each reason explained two paths. */
export const explained = new Map<string, number>();

/** A proxy and an upstream, and how far their records have been compared. */
export class Pair {
  readonly #upstream: Upstream;
  readonly #proxy: ProxyServer | undefined;
  readonly #settled = new Set<string>();
  #logged = 0;
  /** Without a response, of the last comparison. */
  #late: LoggedRequest[] = [];

  /** @param proxy undefined to ask the upstream directly */
  constructor(upstream: Upstream, proxy: ProxyServer | undefined) {
    this.#upstream = upstream;
    this.#proxy = proxy;
  }

  /** Begins with what comes from now on. */
  async begin(): Promise<void> {
    await this.#quiet();
    for (const id of this.#upstream.seen.keys()) this.#settled.add(id);
    this.#logged = (await this.#readLog()).length;
  }

  /** @returns a line for each disagreement about what was asked since the last call */
  async compare(): Promise<string[]> {
    await this.#quiet();
    const seen = [...this.#upstream.seen].filter(([id]) => !this.#settled.has(id));
    for (const [id] of seen) this.#settled.add(id);
    if (!this.#proxy) return [];
    const log = await this.#readLog();
    const logged = log.slice(this.#logged).filter(({ isForwarded }) => isForwarded);
    this.#logged = log.length;
    // A request whose sender hung up may reach the upstream's log later than the proxy's.
    const unanswered = [...this.#late, ...logged.filter(({ id }) => id === "")];
    const found = disagreements(seen, logged, unanswered);
    // What the upstream's parser refused with 400 never reaches its log.
    this.#late = unanswered.filter((each) => logged.includes(each) && each.status !== 400);
    return found;
  }

  /** Waits until the proxy has logged what the upstream has seen, at most five seconds: it logs a request at its end. */
  async #quiet(): Promise<void> {
    if (!this.#proxy) return;
    const { seen } = this.#upstream;
    for (let tries = 0; tries < 250; tries++) {
      const log = (await this.#readLog()).slice(this.#logged).filter(({ isForwarded }) => isForwarded);
      const ids = new Set(log.map(({ id }) => id));
      const unanswered = log.filter(({ id }) => id === "").length;
      const before = seen.size;
      await sleep(20);
      const missing = [...seen.keys()].filter((id) => !this.#settled.has(id) && !ids.has(id)).length;
      const isAhead = log.some(({ id }) => id !== "" && !seen.has(id));
      if (missing <= unanswered && !isAhead && seen.size === before) return;
    }
  }

  async #readLog(): Promise<readonly LoggedRequest[]> {
    return (await this.#proxy?.readLog()) ?? [];
  }
}

/** @param unanswered those without a response: their sender hung up, or the upstream's parser refused them; loses what it explains */
function disagreements(
  seen: readonly [string, SeenRequest][],
  logged: readonly LoggedRequest[],
  unanswered: LoggedRequest[],
): string[] {
  const found: string[] = [];
  for (const [id, request] of seen) {
    const matches = logged.filter((each) => each.id === id);
    const shown = `${request.method} ${request.target.slice(0, 200)}`;
    if (matches.length > 1) found.push(`the proxy logged ${shown} ${matches.length} times`);
    const match = matches[0] ?? unanswered.splice(0, 1)[0];
    if (match === undefined) found.push(`the upstream saw ${shown}, which the proxy did not forward`);
    else if (!isSame(request, match))
      found.push(`the proxy forwarded ${match.method} ${match.target} (${match.path}), the upstream saw ${shown}`);
  }
  for (const { id, method, target } of logged)
    if (id !== "" && !seen.some(([each]) => each === id))
      found.push(`the proxy has a response to ${method} ${target} that belongs to another request`);
  return found;
}

/** Scheme, host and port of a target in absolute form (RFC 9112, section 3.2.2). */
const origin = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

function isSame({ method, target, isTemplate }: SeenRequest, logged: LoggedRequest): boolean {
  if (method !== logged.method) return false;
  const [path = ""] = target.replace(origin, "").split(/[?#]/, 1);
  const paths = [logged.path, readEscapes(logged.path)];
  if (isTemplate) {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`);
    if (path === "none" || paths.some((each) => pattern.test(each))) return true;
  } else if (paths.some((each) => each === path || each === decode(path))) return true;
  const rule = pathRules.find(({ applies }) => applies(logged.status, logged, path));
  if (rule) explained.set(rule.reason, (explained.get(rule.reason) ?? 0) + 1);
  return rule !== undefined;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"' };

/** nginx and Apache write other bytes than those of visible ASCII as `\xNN` or `\n`. */
const readEscapes = (text: string): string =>
  text.replace(/\\(?:x([\da-f]{2})|(.))/gi, (_, digits, letter) =>
    digits === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(digits, 16)),
  );

/** As bytes, one character each. */
const decode = (path: string): string =>
  path.replace(/%([\da-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

/** 501 and 505 say that a request asks for what is not implemented; Apache does so with 500, before it forwards a request. */
const isRefusal = ({ status, headers }: RawResponse): boolean =>
  (status >= 400 && status < 500) ||
  status === 501 ||
  status === 505 ||
  (status === 500 && !headers.has("x-request-id"));

/** @returns a line for each outcome that must not be */
export function judge(sent: Sent, { responses, isClosed }: Exchange, effects: readonly string[]): string[] {
  const found: string[] = [];
  const wanted = [...sent.outcomes];
  const count = (marker: string): number => effects.filter((each) => each === marker).length;
  for (const [index, [marker, outcome]] of wanted.entries()) {
    const which = wanted.length > 1 ? `request ${index + 1} ` : "";
    if (count(marker) > 1) found.push(`${which}had its effect ${count(marker)} times`);
    if (outcome === "effect" && count(marker) === 0)
      found.push(
        `${which}had no effect: ${responses.map(({ status, text }) => `${status} ${text.slice(0, 200)}`).join("; ")}`,
      );
    if (outcome === "refused" && count(marker) > 0) found.push(`${which}had an effect`);
  }
  const isDropped = wanted.some(([, outcome]) => outcome === "dropped");
  if (responses.length === 0 && !isDropped && !isClosed) found.push("no response");
  for (const response of responses) {
    const { status, headers, text } = response;
    if (status >= 300 && !isRefusal(response)) found.push(`a response with ${status}: ${text.slice(0, 200)}`);
    // The platform's pages are for people.
    const isClear =
      headers.get("content-type")?.startsWith("application/problem+json") || text.includes("Offers</title>");
    if (status >= 400 && headers.has("x-request-id") && text !== "" && !isClear)
      found.push(`a response with ${status} that is no problem: ${text.slice(0, 200)}`);
  }
  const succeeded = responses.filter(({ status }) => status < 300).length;
  const had = wanted.filter(([marker]) => count(marker) > 0).length;
  if (wanted.every(([, outcome]) => outcome === "effect" || outcome === "either") && succeeded !== had)
    found.push(`${succeeded} successes for ${had} effects`);
  return found;
}
