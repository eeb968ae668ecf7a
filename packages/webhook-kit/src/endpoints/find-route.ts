import { endpoints } from "./all.ts";
import type { Endpoint } from "./endpoint.ts";

export interface Route {
  readonly endpoint: Endpoint;
  /** In capitals. */
  readonly methods: readonly string[];
  /** Still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** One slash at the end is allowed, and several at the start: senders join `https://example.com/prefix/` and `/test` (D-46). */
const patternOf = (path: string): RegExp => new RegExp(`^/+${path.slice(1).replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}/?$`);

// Express runs GET handlers for HEAD; only the endpoint that does nothing may be asked so (D-46).
const routes = Object.values<Endpoint>(endpoints).map((endpoint) => ({
  endpoint,
  methods: endpoint.kind === "test" ? [endpoint.method, "HEAD"] : [endpoint.method],
  pattern: patternOf(endpoint.path),
}));

/** Finds the endpoint of a path below the mount. */
export function findRoute(path: string): Route | undefined {
  for (const { endpoint, methods, pattern } of routes) {
    const match = pattern.exec(path);
    if (match) return { endpoint, methods, parameters: { ...match.groups } };
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
