import type { webhooks } from "@offers/contract/openapi";
import { contactSuggestions } from "./contact-suggestions.ts";
import { type Endpoint, eventEndpoint, type HandledEndpoint } from "./endpoint.ts";
import type { Handlers } from "./handlers.ts";

/** One entry for every webhook in the contract. If a webhook is added or renamed in the contract, the type check fails. */
export const endpoints = {
  "/test": { kind: "test", name: "Test", method: "GET", path: "/test" },
  "/test/auth": { kind: "testAuth", name: "TestAuth", method: "GET", path: "/test/auth" },
  "/contact/new/{workerId}": eventEndpoint({
    name: "WorkerAddedContact",
    method: "GET",
    path: "/contact/new/{workerId}",
    handler: "onWorkerAddedContact",
  }),
  "/contact-suggestions": contactSuggestions,
  "/offer/response": eventEndpoint({
    name: "WorkerOfferResponse",
    path: "/offer/response",
    handler: "onWorkerOfferResponse",
    isOptional: false,
    entityKey: ({ offerId, workerId }) => [offerId, workerId],
  }),
  "/offer/eventDeleted": eventEndpoint({
    name: "OfferEventDeleted",
    path: "/offer/eventDeleted",
    handler: "onOfferEventDeleted",
  }),
  "/events/timelineChanged": eventEndpoint({
    name: "TimelineChanged",
    path: "/events/timelineChanged",
    handler: "onTimelineChanged",
  }),
} as const satisfies { [P in keyof webhooks]: Endpoint & { readonly path: P } };

export const eventEndpoints: readonly HandledEndpoint[] = Object.values<Endpoint>(endpoints).filter(
  (endpoint): endpoint is HandledEndpoint => endpoint.kind === "event",
);

/** Whether there is a handler for the endpoint's requests. */
export const hasHandler = ({ handler, kind }: HandledEndpoint, handlers: Handlers<never>): boolean =>
  handlers[handler] !== undefined || (kind === "event" && handlers.onEvent !== undefined);

export interface Route {
  readonly endpoint: Endpoint;
  /** The allowed methods, in upper case. */
  readonly methods: readonly string[];
  /** The path parameters, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Creates a pattern that matches a path with one optional trailing slash and any number of leading slashes, because senders join
 * `https://example.com/prefix/` and `/test` (D-46).
 */
const toPattern = (path: string): RegExp => new RegExp(`^/+${path.slice(1).replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}/?$`);

// Although Express runs GET handlers for HEAD requests, only `/test`, which does nothing, accepts them (D-46).
const routes = Object.values<Endpoint>(endpoints).map((endpoint) => ({
  endpoint,
  methods: endpoint.kind === "test" ? [endpoint.method, "HEAD"] : [endpoint.method],
  pattern: toPattern(endpoint.path),
}));

const plainRoutes = new Map(
  routes.map(({ endpoint, methods }): [string, Route] => [endpoint.path, { endpoint, methods, parameters: {} }]),
);

/** Finds the endpoint for a path below the mount path. */
export function findRoute(path: string): Route | undefined {
  // Most paths are exactly as in the contract. A contract path with braces is a template, which is matched below.
  const plain = plainRoutes.get(path);
  if (plain && !path.includes("{")) return plain;
  for (const { endpoint, methods, pattern } of routes) {
    const match = pattern.exec(path);
    if (match) return { endpoint, methods, parameters: { ...match.groups } };
  }
  return undefined;
}

/** Decodes the path parameters. A parameter whose encoding is invalid becomes undefined. */
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
