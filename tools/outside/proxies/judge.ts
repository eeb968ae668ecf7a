import { setTimeout as sleep } from "node:timers/promises";
import type { Sent } from "./cases.ts";
import type { LoggedRequest, ProxyServer } from "./proxy-servers.ts";
import type { Exchange } from "./raw-request.ts";
import type { SeenRequest, Upstream } from "./upstream.ts";

/** A proxy and an upstream, and how far their records have been compared. */
export class Pair {
  readonly #upstream: Upstream;
  readonly #proxy: ProxyServer | undefined;
  readonly #settled = new Set<string>();
  #logged = 0;

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
    return disagreements(seen, logged);
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
      if (missing <= unanswered && seen.size === before) return;
    }
  }

  async #readLog(): Promise<readonly LoggedRequest[]> {
    return (await this.#proxy?.readLog()) ?? [];
  }
}

function disagreements(seen: readonly [string, SeenRequest][], logged: readonly LoggedRequest[]): string[] {
  const found: string[] = [];
  // The proxy got no response to these: their sender hung up, or the upstream's parser refused them.
  const unanswered = logged.filter(({ id }) => id === "");
  for (const [id, request] of seen) {
    const matches = logged.filter((each) => each.id === id);
    const shown = `${request.method} ${request.target}`;
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

function isSame({ method, target, isTemplate }: SeenRequest, logged: LoggedRequest): boolean {
  if (method !== logged.method) return false;
  const [path = ""] = target.split(/[?#]/, 1);
  const paths = [logged.path, readEscapes(logged.path)];
  if (isTemplate) {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`);
    return path === "none" || paths.some((each) => pattern.test(each));
  }
  return paths.some((each) => each === path || each === decode(path));
}

/** nginx and Apache write bytes beyond ASCII as `\xNN`. */
const readEscapes = (text: string): string =>
  text.replace(/\\x([\da-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

/** As bytes, one character each. */
const decode = (path: string): string =>
  path.replace(/%([\da-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

/** No 5xx but those that say that a request asks for what is not implemented. */
const isRefusal = (status: number): boolean => (status >= 400 && status < 500) || status === 501 || status === 505;

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
  for (const { status, headers, text } of responses) {
    if (status >= 300 && !isRefusal(status)) found.push(`a response with ${status}: ${text.slice(0, 200)}`);
    if (
      status >= 400 &&
      headers.has("x-request-id") &&
      !headers.get("content-type")?.startsWith("application/problem+json")
    )
      found.push(`a response with ${status} that is no problem: ${text.slice(0, 200)}`);
  }
  const succeeded = responses.filter(({ status }) => status < 300).length;
  const had = wanted.filter(([marker]) => count(marker) > 0).length;
  if (wanted.every(([, outcome]) => outcome === "effect" || outcome === "either") && succeeded !== had)
    found.push(`${succeeded} successes for ${had} effects`);
  return found;
}
