import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import samples from "../../../../spec/samples/live/offer-operations.json" with { type: "json" };
import { OffersClient, OffersError } from "../../src/index.ts";
import { respondWith, serve } from "../support/serve.ts";

interface Call {
  arguments: unknown[];
  request: { method: string; url: string; json?: unknown };
}

interface LiveExchange {
  name: string;
  operation: string;
  response: { status: number; headers: Record<string, string>; text?: string; json?: unknown };
  outcome: { data: unknown } | { error: Record<string, unknown> };
}

const calls: Record<string, Call> = samples.calls;
const exchanges: LiveExchange[] = samples.exchanges;
const { apiKey } = samples;
const replayedNames: string[] = [];

test.each(exchanges)("the client handles $name", async ({ name, operation, response, outcome }) => {
  const text = response.json === undefined ? (response.text ?? "") : JSON.stringify(response.json);
  const { baseUrl, received } = await serve(respondWith(response.status, text, response.headers));
  const client = new OffersClient({ baseUrl: `${baseUrl}/`, apiKey, maxRetries: 0 });
  const perform: (...args: unknown[]) => Promise<unknown> = Reflect.get(client, operation);
  const actualOutcome = await perform.apply(client, calls[operation]?.arguments ?? []).then(
    (data) => ({ data: data ?? null }),
    (error: unknown) => ({ error }),
  );

  expect(received).toHaveLength(1);
  const [{ method, url, headers, body } = {} as never] = received;
  expect({ method, url, ...(body !== "" && { json: JSON.parse(body) }) }).toEqual(calls[operation]?.request);
  expect(headers["x-ue-api-subscription-key"]).toBe(apiKey);
  if ("error" in actualOutcome) expect(actualOutcome.error).toBeInstanceOf(OffersError);
  if ("data" in outcome) expect(actualOutcome).toEqual(outcome);
  else expect(actualOutcome).toMatchObject({ error: { ...outcome.error, problem: response.json } });
  replayedNames.push(name);
});

test("every sample was replayed and has a unique name", () => {
  expect(replayedNames).toEqual(exchanges.map(({ name }) => name));
  expect(new Set(replayedNames).size).toBe(exchanges.length);
});

test("the samples include every problem that the live service is known to return", () => {
  const titles = exchanges.flatMap(
    ({ response }) => (response.json as { title?: string; status?: number })?.title ?? [],
  );
  for (const title of [
    "Parameters out of range",
    "Unauthorised",
    "Invalid api version",
    "Forbidden or non-existent resources",
    "Too many requests",
    "Internal platform error",
  ])
    expect(titles).toContain(title);
});

// The webhook kit replays the other file, in its live-samples.test.ts.
test("every file of samples is replayed", () =>
  expect(readdirSync(new URL("../../../../spec/samples/live", import.meta.url)).sort()).toEqual([
    "offer-operations.json",
    "webhooks.json",
  ]));
