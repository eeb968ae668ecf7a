import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { webhookHandler } from "../../src/fetch.ts";
import { type AnyWebhookKitError, type HandlerContext, standardWebhooks } from "../../src/index.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { createSignedRequest, whsec } from "../signature/standard-signed.ts";
import { createJsonHeaders, secret } from "../support/serve.ts";
import type { InboxUnderTest } from "./databases.ts";
import { inboxesUnderTest } from "./inboxes-under-test.ts";

type HandleWorker = (context: HandlerContext, worker: string) => Promise<unknown>;

/** Creates a receiver that runs the handler, and `attempt`, which sends it an event about a new worker. */
function createReceiver(handle: HandleWorker, options: Partial<ReceiverOptions> = {}) {
  const webhooks = webhookHandler({
    secret: whsec,
    scheme: standardWebhooks(),
    onError: () => undefined,
    onWorkerOfferResponse: ({ workerId }, context) => handle(context, workerId),
    ...options,
  });
  const worker = randomUUID();
  const body = JSON.stringify({ offerId: "offer_1", workerId: worker, response: "accepted" });
  /** Signs each attempt when it is sent, like the service. */
  const attempt = async (id: string): Promise<number> =>
    (await webhooks(new Request("https://us.example/offer/response", createSignedRequest(body, { id })))).status;
  return { webhooks, attempt, worker, body };
}

/** Creates two receivers that share no memory, like two processes, and `attempt`, which sends the same event to one of them. */
function createReceiverPair(handle: HandleWorker, options: Partial<ReceiverOptions> = {}) {
  const receivers = [createReceiver(handle, options), createReceiver(handle, options)] as const;
  const [{ body, worker }] = receivers;
  const id = `msg_${randomUUID()}`;
  const attempt = async (index: 0 | 1): Promise<number> =>
    (
      await receivers[index].webhooks(
        new Request("https://us.example/offer/response", createSignedRequest(body, { id })),
      )
    ).status;
  return { attempt, worker };
}

describe.each(await inboxesUnderTest())("a receiver that calls once on $title", ({ once, query }: InboxUnderTest) => {
  const countNotes = async (text: string) => (await query("SELECT text FROM notes WHERE text = $1", [text])).length;

  test("code after once runs again on a retry, but the rows are written once", async () => {
    const duplicates: boolean[] = [];
    const { attempt, worker } = createReceiverPair(async (context, text) => {
      const { duplicate } = await once(context, [text]);
      duplicates.push(duplicate);
      if (duplicates.length === 1) throw new Error("the mail server is down");
    });
    expect([await attempt(0), await attempt(1)]).toEqual([500, 200]);
    expect(duplicates).toEqual([false, true]);
    expect(await countNotes(worker)).toBe(1);
  });

  test("a request whose handler times out after the commit gets 503, and its retry is a duplicate", async () => {
    const duplicates: boolean[] = [];
    const { attempt, worker } = createReceiverPair(
      async (context, text) => {
        const { duplicate } = await once(context, [text]);
        duplicates.push(duplicate);
        if (!duplicate) await new Promise((resolve) => setTimeout(resolve, 400));
      },
      { handlerTimeoutMs: 200 },
    );
    // On a busy machine, the commit itself may take longer than the timeout, but the retry is still a duplicate.
    expect(await attempt(0)).toBe(503);
    await expect.poll(() => countNotes(worker)).toBe(1);
    await expect.poll(() => attempt(1)).toBe(200);
    expect(duplicates.filter((duplicate) => !duplicate)).toHaveLength(1);
    expect(await countNotes(worker)).toBe(1);
  });

  test("an acknowledged event that is redelivered with a new id is handled again [D-100]", async () => {
    const { attempt, worker } = createReceiver((context, text) => once(context, [text]));
    const [firstId, redeliveryId] = [`msg_${randomUUID()}`, `msg_${randomUUID()}`];
    expect([await attempt(firstId), await attempt(redeliveryId)]).toEqual([200, 200]);
    expect(await countNotes(worker)).toBe(2);
  });

  test("tenants with the same message id do not affect each other's events [D-100]", async () => {
    const secrets = new Map([
      ["a", whsec],
      ["b", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    ]);
    const { webhooks, body, worker } = createReceiver((context, text) => once(context, [text]), {
      // The tenant is the first letter of the host name.
      secret: (request: unknown) => secrets.get(new URL((request as Request).url).hostname.slice(0, 1)),
    });
    const id = `msg_${randomUUID()}`;
    for (const [tenant, secret] of secrets) {
      const request = new Request(
        `https://${tenant}.example/offer/response`,
        createSignedRequest(body, { id, secret }),
      );
      expect((await webhooks(request)).status).toBe(200);
    }
    expect(await countNotes(worker)).toBe(2);
  });

  test("with timestampDigest, once without a key results in 500, and with a key the event is handled once", async () => {
    let key: string | undefined;
    const errors: AnyWebhookKitError[] = [];
    const webhooks = webhookHandler({
      secret,
      deduplication: false,
      onError: (error) => void errors.push(error),
      onOfferEventDeleted: ({ offerId, workerId, eventStart }, context) => {
        expect(context.deduplicationKey).toBeUndefined();
        return once(
          context,
          [workerId],
          key === undefined ? {} : { key: JSON.stringify([offerId, workerId, eventStart]) },
        );
      },
    });
    const workerId = randomUUID();
    const body = JSON.stringify({ offerId: "offer_1", workerId, eventStart: "2099-05-01T16:00:00Z" });
    // The signature does not cover this header, so it must not identify the event.
    const createHeaders = () => createJsonHeaders({ "offers-delivery-id": "delivery_1" });
    const attempt = async () =>
      (
        await webhooks(
          new Request("https://us.example/offer/eventDeleted", { method: "POST", headers: createHeaders(), body }),
        )
      ).status;
    expect(await attempt()).toBe(500);
    expect(errors[0]).toMatchObject({ code: "handler_failed", cause: { code: "inbox_key_required" } });
    expect(await countNotes(workerId)).toBe(0);
    key = "event";
    expect([await attempt(), await attempt()]).toEqual([200, 200]);
    expect(await countNotes(workerId)).toBe(1);
  });

  test("a record outlives the process, so a restarted receiver recognises the event", async () => {
    const { attempt, worker } = createReceiverPair((context, text) => once(context, [text]));
    expect([await attempt(0), await attempt(1), await attempt(1)]).toEqual([200, 200, 200]);
    expect(await countNotes(worker)).toBe(1);
  });
});
