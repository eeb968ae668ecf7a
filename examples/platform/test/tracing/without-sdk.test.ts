import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const workerTraceparent = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b8-01";
const key = "demo-key-harbour";

describe.each(await anyStore())("without an OpenTelemetry SDK on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let receiver: Receiver;

  beforeEach(async () => {
    database = await createDatabase();
    receiver = await openReceiver();
    platform = await openPlatform(database);
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
    const json = { baseAddress: receiver.baseAddress, secret, suggestsContacts: false };
    await platform.call("PUT", "/portal/profile", { token, json });
    receiver.requests.length = 0;
  });
  afterEach(async () => {
    await platform.close();
    await receiver.close();
    await database.remove();
  });

  /** Creates an offer and applies to it. @returns the trace headers of the webhook about it */
  async function triggerWebhook(creationHeaders: Record<string, string>, applyHeaders: Record<string, string> = {}) {
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const created = await platform.call("POST", "/offer?api-version=1.0", { key, json, headers: creationHeaders });
    const { id } = created.json<{ id: string }>();
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token, headers: applyHeaders });
    await eventually("the webhook arrives", () => receiver.requests.length === 1);
    const { traceparent, tracestate } = receiver.requests[0]?.headers ?? {};
    return { traceparent, tracestate };
  }

  test("the trace headers are passed from the creation to the webhook [D-138]", async () => {
    const sent = { traceparent, tracestate: "vendor=1" };
    expect(await triggerWebhook(sent)).toEqual(sent);
  });

  test("without an SDK, a trace from the worker app replaces the trace of the offer [D-138]", async () => {
    expect(await triggerWebhook({ traceparent, tracestate: "vendor=1" }, { traceparent: workerTraceparent })).toEqual({
      traceparent: workerTraceparent,
      tracestate: undefined,
    });
  });

  test("a webhook has no trace headers when no request had valid trace headers [D-138]", async () => {
    expect(await triggerWebhook({ traceparent: "00-0-0-01" })).toEqual({
      traceparent: undefined,
      tracestate: undefined,
    });
  });
});
