import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { probe } from "../../src/probe/probe.ts";
import { isEventCase, vectorGroupsFor } from "../../src/probe/select.ts";
import type { Scheme } from "../../src/signature/sign-request.ts";
import { readVectors } from "../../src/vectors/vectors.ts";
import { parseUrl } from "../../src/wire/receiver-url.ts";
import { secrets } from "../support/start-receiver.ts";

/** Starts a receiver that accepts and records every request. */
async function startRecorder(): Promise<{
  url: ReturnType<typeof parseUrl>;
  received: { target: string; body: string }[];
}> {
  const received: { target: string; body: string }[] = [];
  const server = createServer({ insecureHTTPParser: true }, (request, response) => {
    text(request).then(
      (body) => {
        received.push({ target: request.url ?? "", body: body.slice(0, 1_000) });
        response.end();
      },
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: parseUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), received };
}

test.each(["timestampDigest", "standardWebhooks"] as Scheme[])(
  "without --allow-events, probe sends no request that could create work: %s [D-101]",
  async (scheme) => {
    const { url, received } = await startRecorder();
    const options = { url, scheme, secret: secrets[scheme], only: [], skip: ["timing"], timeoutMs: 1_000 };
    await probe({ ...options, allowEvents: false });
    const events = received.filter(({ target }) => /contact.*new|offer\/|events/i.test(target.replaceAll("%65", "e")));
    // These requests lack every field of an event.
    expect(events.filter(({ body }) => body !== "{}")).toEqual([]);
    expect(received.filter(({ body }) => /offerId|workerId/.test(body))).toEqual([]);
    expect(received.length).toBeGreaterThan(50);
  },
);

test("most cases do not need an event, with either scheme [D-101]", () => {
  const vectors = readVectors();
  const countHarmlessCases = (scheme: Scheme) =>
    vectorGroupsFor(vectors, scheme)
      .flatMap(({ cases }) => cases)
      .filter((testCase) => !isEventCase(testCase)).length;
  expect(countHarmlessCases("timestampDigest")).toBeGreaterThan(400);
  expect(countHarmlessCases("standardWebhooks")).toBeGreaterThan(120);
});
