import { endpoints } from "./all.ts";
import type { Endpoint } from "./endpoint.ts";

export interface Route {
  readonly endpoint: Endpoint;
  /** In capitals. */
  readonly methods: readonly string[];
  /** Still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

const none = {};
const fixed = new Map<string, Route>();
const open: { endpoint: Endpoint; methods: readonly string[]; start: string; parameter: string }[] = [];
for (const endpoint of Object.values<Endpoint>(endpoints)) {
  const { kind, method, path } = endpoint;
  // Express runs GET handlers for HEAD; only the endpoint that does nothing may be asked so (D-46).
  const methods = kind === "test" ? [method, "HEAD"] : [method];
  const [start = "", parameter] = path.split(/[{}]/);
  if (parameter === undefined) fixed.set(start, { endpoint, methods, parameters: none });
  else open.push({ endpoint, methods, start, parameter });
}

/**
 * Finds the endpoint of a path below the mount. One slash at the end is let pass, and several at the start (D-46): senders
 * join `https://example.com/someprefix/` and `/test` in both ways.
 */
export function findRoute(path: string): Route | undefined {
  const asSent = fixed.get(path);
  if (asSent) return asSent;
  const plain = path.replace(/^\/+/, "/").replace(/(?<=.)\/$/, "");
  const found = fixed.get(plain);
  if (found) return found;
  for (const { endpoint, methods, start, parameter } of open) {
    const value = plain.slice(start.length);
    if (plain.startsWith(start) && value !== "" && !value.includes("/"))
      return { endpoint, methods, parameters: { [parameter]: value } };
  }
  return undefined;
}

/** Undefined where the encoding is broken. */
export function decodeParameters(parameters: Readonly<Record<string, string>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decode(value)]));
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
