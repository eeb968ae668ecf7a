import { expect, test } from "vitest";
import type { EndpointClient, EndpointRequest, EndpointResult, Sign } from "./endpoint-client.ts";
import { sendSigned } from "./send-signed.ts";

const endpoint = { baseAddress: "https://example.com", scheme: "timestampDigest", secret: "new" } as const;
const request = { method: "GET", path: "/test", timeoutMs: 1_000 } as const;

const respondedWith = (status: number): EndpointResult => {
  return { ok: true, status, body: Buffer.alloc(0), truncated: false, durationMs: 1 };
};
const failed: EndpointResult = { ok: false, code: "connection_lost", reason: "", durationMs: 1 };

/** Sends a request whose attempts return these results. @returns the secrets used, and each attempt's time limit */
async function sendWithResults(results: EndpointResult[], previousSecret?: string, attemptMs = 0) {
  const usedSecrets: string[] = [];
  const ids = new Set<string>();
  const timeLimits: number[] = [];
  const sign: Sign = (secret, { id, otherSecret }) => {
    usedSecrets.push(`${secret} and ${otherSecret}`);
    ids.add(id);
    return {};
  };
  const send = async ({ timeoutMs, sign: signContent }: EndpointRequest): Promise<EndpointResult> => {
    await signContent?.(new Uint8Array());
    await new Promise((resolve) => setTimeout(resolve, attemptMs));
    timeLimits.push(timeoutMs);
    return results.shift() ?? failed;
  };
  const endpointClient: EndpointClient = { send, close: async () => undefined };
  const result = await sendSigned(endpointClient, sign, { ...endpoint, previousSecret }, request);
  return { result, usedSecrets, ids, timeLimits };
}

test.each([401, 403])(
  "retries a request once with the old secret when the endpoint responds with %i during an overlap",
  async (status) => {
    const { result, usedSecrets, ids, timeLimits } = await sendWithResults(
      [respondedWith(status), respondedWith(200)],
      "old",
      20,
    );
    expect(result).toMatchObject({ status: 200 });
    expect(usedSecrets).toEqual(["new and old", "old and new"]);
    expect(ids.size).toBe(1);
    // Both attempts share one deadline. Each takes 20 ms, but a timer may fire a millisecond early.
    expect(timeLimits[0]).toBe(1_000);
    expect(timeLimits[1]).toBeLessThanOrEqual(981);
    expect(result.durationMs).toBeGreaterThanOrEqual(39);
  },
);

test("never sends a request more than twice", async () => {
  const { result, usedSecrets } = await sendWithResults(
    [respondedWith(401), respondedWith(401), respondedWith(200)],
    "old",
  );
  expect([result, usedSecrets.length]).toMatchObject([{ status: 401 }, 2]);
});

test("does not retry with the old secret after the deadline", async () => {
  const { result, usedSecrets } = await sendWithResults([respondedWith(401), respondedWith(200)], "old", 1_010);
  expect([result, usedSecrets.length]).toMatchObject([{ status: 401 }, 1]);
});

test.each([respondedWith(200), respondedWith(400), respondedWith(404), respondedWith(410), respondedWith(500), failed])(
  "does not retry with the old secret after any other result: %o",
  async (result) =>
    expect(await sendWithResults([result, respondedWith(200)], "old")).toMatchObject({
      result,
      usedSecrets: ["new and old"],
    }),
);

test("does not retry a rejected request after the overlap", async () => {
  expect(await sendWithResults([respondedWith(401), respondedWith(200)])).toMatchObject({
    result: { status: 401 },
    usedSecrets: ["new and undefined"],
  });
});
