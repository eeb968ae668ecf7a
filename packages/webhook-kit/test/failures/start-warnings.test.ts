import { afterEach, describe, expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { parseWebhook, webhookHandler } from "../../src/fetch.ts";
import { standardWebhooks, verifyRequest } from "../../src/index.ts";
import { webhookFunction } from "../../src/lambda.ts";
import { webhookListener } from "../../src/node.ts";
import { secret, signed } from "../support/serve.ts";

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
const onWorkerAddedContact = () => undefined;
const logTo = () => ({ info: vi.fn(), warn: vi.fn(), error: vi.fn() });

describe.each(receivers)("%s", (_, start) => {
  test("warns at the start of a receiver without a handler, which acknowledges no event", () => {
    const logger = logTo();
    start({ secret, logger });
    expect(logger.warn.mock.calls).toEqual([
      [
        { code: "no_handler" },
        expect.stringMatching(/every event gets 404 and is lost\. Give at least one of .*onEvent/),
      ],
    ]);
    expect(warn).not.toHaveBeenCalled();
  });

  test("warns of it on the console where there is no logger", () => {
    start({ secret });
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^The webhook receiver has no handler: .*\(no_handler\)$/)],
    ]);
  });

  test.each(["onWorkerAddedContact", "suggestContacts", "onEvent"])("needs no more than %s", (name) => {
    start({ secret, [name]: () => [] });
    expect(warn).not.toHaveBeenCalled();
  });

  test.each([["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], [[secret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]]])(
    "warns of a secret that its scheme does not decode, and does not show it (%#)",
    (whsec) => {
      const logger = logTo();
      start({ secret: whsec, logger, onWorkerAddedContact });
      expect(logger.warn.mock.calls).toEqual([
        [{ code: "undecoded_secret" }, expect.stringMatching(/give scheme: standardWebhooks\(\)/)],
      ]);
      expect(JSON.stringify(logger.warn.mock.calls)).not.toContain("MfKQ9r8G");
    },
  );

  test("says nothing of a secret that the scheme decodes, nor of one that it takes as it is", () => {
    start({ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", scheme: standardWebhooks(), onWorkerAddedContact });
    start({ secret: () => "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", onWorkerAddedContact });
    expect(warn).not.toHaveBeenCalled();
  });
});

test("a whsec_ secret still verifies as the text that it is: a warning loses no event", async () => {
  const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const handler = webhookHandler({ secret: whsec, onWorkerAddedContact, logger: logTo() });
  const { timestampDigest } = await import("../../src/index.ts");
  const headers = timestampDigest().sign({ secret: whsec, now: new Date() });
  expect((await handler(new Request("http://127.0.0.1/contact/new/amal", { headers }))).status).toBe(200);
});

test("what has no handler by its nature gets no warning, and what runs for each request none for each", async () => {
  verifyWebhook({ secret });
  await parseWebhook({ secret }, new Request("http://127.0.0.1/test", { headers: signed() }));
  await verifyRequest({ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }, { rawHeaders: [] });
  expect(warn).not.toHaveBeenCalled();
  verifyWebhook({ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" });
  expect(warn).toHaveBeenCalledTimes(1);
});
