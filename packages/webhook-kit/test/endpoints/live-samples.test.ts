import { describe, expect, test } from "vitest";
import samples from "../../../../spec/samples/live/webhooks.json" with { type: "json" };
import type { RejectionCode } from "../../src/errors/rejection.ts";
import type { ContactSuggestion, Verified } from "../../src/index.ts";
import { sampleAdapters } from "../support/adapters.ts";

interface Sample {
  name: string;
  /** The time on the receiver's clock. */
  now: string;
  request: { method: string; target: string; headers: { Authorization?: string }; json?: unknown };
  outcome: { status: number; variant?: string; handler?: string; event?: unknown; reason?: string };
}

const webhooks: Sample[] = samples.webhooks;
const suggestion: ContactSuggestion = { name: "Dana Kim", emailAddress: "dana.kim@example.com", ratings: [] };

describe.each(sampleAdapters)("$name", (adapter) => {
  /** Starts a receiver. @returns a function that sends it a sample, and lists of the events, verifications and rejections that it reports */
  async function startReceiver() {
    const clock = { now: "" };
    const handled: [handler: string, event: unknown][] = [];
    const verified: Verified[] = [];
    const reasons: RejectionCode[] = [];
    const record = (handler: string) => (event: unknown) => void handled.push([handler, event]);
    const { url } = await adapter.serve(
      {
        secret: samples.secret,
        now: () => new Date(clock.now),
        onWorkerAddedContact: record("onWorkerAddedContact"),
        onWorkerOfferResponse: record("onWorkerOfferResponse"),
        onOfferEventDeleted: record("onOfferEventDeleted"),
        onTimelineChanged: record("onTimelineChanged"),
        suggestContacts(search) {
          record("suggestContacts")(search);
          return [suggestion];
        },
        onVerified: (verification) => verified.push(verification),
        onRejected: ({ code }) => reasons.push(code),
      },
      samples.mount,
    );
    const send = ({ now, request: { method, target, headers, json } }: Sample) => {
      clock.now = now;
      const body = json === undefined ? null : JSON.stringify(json);
      return fetch(url + target, { method, headers: { ...headers }, body });
    };
    return { send, handled, verified, reasons };
  }

  const replayedNames: string[] = [];

  test.each(webhooks)("the kit handles $name", async (sample) => {
    const { send, handled, verified, reasons } = await startReceiver();
    const response = await send(sample);
    const { status, variant, handler, event, reason } = sample.outcome;
    expect(response.status).toBe(status);
    expect(handled).toEqual(handler === undefined ? [] : [[handler, event]]);
    expect(verified.map((verification) => verification.variant)).toEqual(variant === undefined ? [] : [variant]);
    expect(reasons).toEqual(reason === undefined ? [] : [reason]);
    if (handler === "suggestContacts") expect(await response.json()).toEqual([suggestion]);
    replayedNames.push(sample.name);
  });

  test("every sample was replayed, and their names differ", () => {
    expect(replayedNames).toEqual(webhooks.map(({ name }) => name));
    expect(new Set(replayedNames).size).toBe(webhooks.length);
  });

  test("all events of one minute are handled even though they have the same digest", async () => {
    const { send, handled } = await startReceiver();
    const events = webhooks.filter(({ outcome }) => outcome.handler !== undefined && outcome.variant === "sha256");
    for (const sample of events) expect((await send(sample)).status).toBe(200);
    expect(new Set(events.map(({ request }) => request.headers.Authorization)).size).toBe(1);
    expect(handled).toEqual(events.map(({ outcome }) => [outcome.handler, outcome.event]));
  });
});
