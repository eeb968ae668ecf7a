import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { parseWebhook, webhookHandler } from "../../src/fetch.ts";
import { standardWebhooks, verifyRequest } from "../../src/index.ts";
import { webhookFunction } from "../../src/lambda.ts";
import { webhookListener } from "../../src/node.ts";
import { createSignedHeaders, secret } from "../support/serve.ts";

type Options = Parameters<typeof webhookHandler>[0] &
  Parameters<typeof webhookRouter>[0] &
  Parameters<typeof webhookListener>[0] &
  Parameters<typeof webhookFunction>[0];

const receivers: [name: string, (options: Options) => unknown][] = [
  ["webhookRouter", webhookRouter],
  ["webhookListener", webhookListener],
  ["webhookHandler", webhookHandler],
  ["webhookFunction", webhookFunction],
];

const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
afterEach(() => void warn.mockClear());
const onEvent = () => undefined;
const optionalHandlers = {
  onWorkerAddedContact: () => undefined,
  onOfferEventDeleted: () => undefined,
  onTimelineChanged: () => undefined,
};
/** Creates a new secret for each test, because a process warns once per secret. */
const createWhsec = () => `whsec_${randomBytes(24).toString("base64")}`;
const createLogger = () => ({ info: vi.fn(), warn: vi.fn(), error: vi.fn() });

describe.each(receivers)("%s", (_, start) => {
  test.each([{ onEvent: () => [] }, { ...optionalHandlers, onWorkerOfferResponse: () => [] }])(
    "a receiver that handles every event does not warn (%#)",
    (handlers) => {
      start({ secret, ...handlers });
      expect(warn).not.toHaveBeenCalled();
    },
  );

  test.each([(whsec: string) => whsec, (whsec: string) => [secret, whsec]])(
    "a receiver warns about a secret that its scheme does not decode, without quoting it (%#)",
    (createSecretOption) => {
      const logger = createLogger();
      const whsec = createWhsec();
      start({ secret: createSecretOption(whsec), logger, onEvent });
      expect(logger.warn.mock.calls).toEqual([
        [{ code: "undecoded_secret" }, expect.stringMatching(/pass scheme: standardWebhooks\(\)/)],
      ]);
      expect(JSON.stringify(logger.warn.mock.calls)).not.toContain(whsec.slice("whsec_".length, 14));
    },
  );

  test("receivers warn only once about an undecoded secret that they share", () => {
    const [firstSecret, secondSecret] = [createWhsec(), createWhsec()];
    for (let count = 0; count < 1_500; count += 1) start({ secret: firstSecret, onEvent });
    expect(warn).toHaveBeenCalledTimes(1);
    start({ secret: [firstSecret, secondSecret], onEvent });
    start({ secret: secondSecret, onEvent });
    expect(warn).toHaveBeenCalledTimes(2);
  });

  test("a receiver does not warn about a secret that its scheme decodes or that a function returns", () => {
    start({ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", scheme: standardWebhooks(), onEvent });
    start({ secret: () => "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", onEvent });
    expect(warn).not.toHaveBeenCalled();
  });
});

test("a whsec_ secret still works as a plain string, so no event is lost", async () => {
  const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const handler = webhookHandler({ secret: whsec, onEvent, logger: createLogger() });
  const { timestampDigest } = await import("../../src/index.ts");
  const headers = timestampDigest().sign({ secret: whsec, now: new Date() });
  expect((await handler(new Request("http://127.0.0.1/contact/new/amal", { headers }))).status).toBe(200);
});

test("verifyWebhook and parseWebhook do not warn about missing handlers, and verifyRequest does not warn about secrets", async () => {
  verifyWebhook({ secret });
  await parseWebhook({ secret }, new Request("http://127.0.0.1/test", { headers: createSignedHeaders() }));
  const onRejected = () => undefined;
  await verifyRequest({ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", onRejected }, { rawHeaders: [] });
  expect(warn).not.toHaveBeenCalled();
  verifyWebhook({ secret: createWhsec() });
  expect(warn).toHaveBeenCalledTimes(1);
});
