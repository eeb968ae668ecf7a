// Causes every error that the HTTP reference lists for each operation.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOperationErrors } from "../../../../scripts/docs/pages/operation-errors.ts";
import {
  type AnyOffersError,
  isOperationError,
  OffersClient,
  type OffersClientOptions,
  type OperationName,
} from "../../src/index.ts";
import { input } from "../support/offer.ts";
import { findUnusedUrl, respondWith, serve } from "../support/serve.ts";

const root = join(import.meta.dirname, "../../../..");
const table = readOperationErrors(root);
const operationCodes = [...table].flatMap(([operation, errors]) =>
  errors.map(({ code }) => [operation, code] as const),
);

interface Call {
  readonly id?: unknown;
  readonly events?: unknown;
  readonly options?: object;
}

const calls: Record<OperationName, (client: OffersClient, call: Call) => Promise<unknown>> = {
  CreateOffer: (client, { events, options }) =>
    client.createOffer({ ...input, ...(events !== undefined && { events: events as never }) }, options),
  GetOffer: (client, { id = "offer_1", options }) => client.getOffer(id as string, options),
  CompleteOffer: (client, { id = "offer_1", options }) => client.completeOffer(id as string, ["worker_amal"], options),
  WithdrawOffer: (client, { id = "offer_1", options }) => client.withdrawOffer(id as string, options),
};

interface Cause {
  /** Starts the service that the client calls and returns its URL. */
  readonly startService?: () => Promise<string>;
  readonly options?: Partial<OffersClientOptions>;
  readonly call?: Call;
}

const createStarter =
  (...response: Parameters<typeof respondWith>) =>
  async () =>
    (await serve(respondWith(...response))).baseUrl;
const html = "<!doctype html><title>Sign in</title>";

/** How to cause each code. */
const causes: Record<AnyOffersError["code"], Cause> = {
  bad_request: { startService: createStarter(400) },
  unauthenticated: { startService: createStarter(401) },
  api_key_provider_failed: { options: { apiKey: () => Promise.reject(new Error("sealed")) } },
  forbidden: { startService: createStarter(403) },
  not_found: { startService: createStarter(404) },
  conflict: { startService: createStarter(409) },
  rate_limited: { startService: createStarter(429) },
  server_error: { startService: createStarter(500) },
  invalid_response: { startService: createStarter(200, html) },
  response_too_large: { startService: createStarter(200, "x".repeat(200)), options: { maxResponseBytes: 100 } },
  unexpected_redirect: { startService: createStarter(308, "", { location: "/elsewhere" }) },
  connect_failed: { startService: findUnusedUrl },
  connection_lost: { startService: async () => (await serve((response) => void response.destroy())).baseUrl },
  tls_failed: { startService: async () => (await createStarter(200)()).replace("http:", "https:") },
  port_blocked: { startService: async () => "http://127.0.0.1:1", options: { fetch: (url, init) => fetch(url, init) } },
  timeout: { startService: async () => (await serve(() => {})).baseUrl, options: { timeoutMs: 30 } },
  aborted: { call: { options: { signal: AbortSignal.abort() } } },
  invalid_api_key: { options: { apiKey: async () => "" } },
  invalid_option: { call: { options: { retries: 3 } } },
  invalid_id: { call: { id: ".." } },
  invalid_time: { call: { events: [{ start: "2099-05-01T18:00", end: new Date() }] } },
  invalid_argument: { call: { options: { signal: new AbortController() } } },
  middleware_failed: { options: { middleware: [() => Promise.reject(new Error("no token"))] } },
  // Only a constructor throws this code.
  invalid_base_url: {},
};

test.each(operationCodes)("a call to %s can fail with %s [D-143]", async (operation, code) => {
  const { startService, options, call = {} } = causes[code as AnyOffersError["code"]];
  const baseUrl = (await startService?.()) ?? "https://service.example";
  const client = new OffersClient({ baseUrl, apiKey: "key", maxRetries: 0, ...options });
  const error = await calls[operation](client, call).then(
    () => expect.unreachable(),
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ code, operation });
  expect(isOperationError(error, operation)).toBe(true);
  const otherOperations = Object.keys(calls).filter((name) => name !== operation) as OperationName[];
  expect(otherOperations.filter((name) => isOperationError(error, name))).toEqual([]);
});

test("each status that the contract documents for an operation results in its documented code [D-143]", async () => {
  for (const [operation, errors] of table)
    for (const { code, statuses } of errors)
      for (const status of statuses) {
        const client = new OffersClient({ baseUrl: await createStarter(status)(), apiKey: "key", maxRetries: 0 });
        await expect(calls[operation](client, {})).rejects.toMatchObject({ code, status });
      }
});

test("every code except invalid_base_url, which only a constructor throws, can be the code of a failed call", () => {
  const documentedCodes = new Set<string>(operationCodes.map(([, code]) => code));
  expect(Object.keys(causes).filter((code) => !documentedCodes.has(code))).toEqual(["invalid_base_url"]);
});

test("isOperationError rejects a value that is not an error from a call", () => {
  for (const value of [undefined, null, "GetOffer", new Error("GetOffer"), { operation: "GetOffer" }])
    expect(isOperationError(value, "GetOffer")).toBe(false);
});

/** The docstring of each method, by operation. */
const docstrings = new Map(
  [
    ...readFileSync(join(root, "packages/client/src/offers-client.ts"), "utf8").matchAll(
      /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(create|get|complete|withdraw)Offer\(/g,
    ),
  ].map(([, text = "", verb = ""]) => [`${verb.charAt(0).toUpperCase()}${verb.slice(1)}Offer`, text]),
);

test.each([...table])("the docstring of %s lists exactly its errors with @throws [D-143]", (operation, errors) => {
  const listedErrors = [...(docstrings.get(operation) ?? "").matchAll(/@throws \{@link (\w+)\} ([^@]*)/g)].flatMap(
    ([, className, text = ""]) => [...text.matchAll(/`(\w+)`/g)].map(([, code]) => `${className} ${code}`),
  );
  expect(listedErrors.sort()).toEqual(errors.map(({ className, code }) => `${className} ${code}`).sort());
});
