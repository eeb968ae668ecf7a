import { describe, expect, test, vi } from "vitest";
import type { RedisClient } from "./redis-client.ts";
import { redisReceipts } from "./redis-deduplication.ts";
import { scripts } from "./redis-scripts.ts";

/** Clients of both kinds that answer as told and keep what they were sent; what Redis makes of it is tested against Redis. */
function setUp(reply: unknown, options: Parameters<typeof redisReceipts>[1] = {}) {
  const call = vi.fn(async (..._sent: string[]): Promise<unknown> => {
    const answer = typeof reply === "function" ? reply() : reply;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const nodeRedis = {
    eval: (script: string, { keys, arguments: args }: { keys: string[]; arguments: string[] }) =>
      call("EVAL", script, String(keys.length), ...keys, ...args),
  };
  const clients: RedisClient[] = [{ call }, nodeRedis];
  return { call, stores: clients.map((client) => redisReceipts(client, options)) };
}

const oddReply = expect.objectContaining({ message: expect.stringMatching(/none of the words that were agreed/) });

describe("a claim", () => {
  test("is one script of two keys in one slot, with a token of its own", async () => {
    const { call, stores } = setUp("claimed");
    for (const store of stores) {
      const claim = await store.claim("k", { leaseMs: 20_999.5 });
      expect(claim).toEqual({ state: "claimed", token: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      const token = "token" in claim ? claim.token : "";
      expect(call).toHaveBeenLastCalledWith(
        ...["EVAL", scripts.claim, "2", "offers:receipts:{of:k}:lease:k", "offers:receipts:{of:k}:done"],
        ...["k", token, "21000"],
      );
    }
    const [first, second] = call.mock.calls.map((sent) => sent[6]);
    expect(first).not.toBe(second);
  });

  test("of a subject stands in the subject's slot, and so does what follows with its token", async () => {
    const { call, stores } = setUp("claimed", { prefix: "own:" });
    const [store] = stores;
    const claim = await store?.claim("k", { leaseMs: 1, subject: "s.t" });
    const token = claim && "token" in claim ? claim.token : "";
    const keys = ["2", "own:{of:s.t}:lease:k", "own:{of:s.t}:done"];
    expect(call).toHaveBeenLastCalledWith("EVAL", scripts.claim, ...keys, "k", token, "1");
    expect(token).toMatch(/^[0-9a-f-]{36}\.s\.t$/);
    call.mockResolvedValue("settled");
    await store?.complete("k", token, 204, 600_000.2);
    expect(call).toHaveBeenLastCalledWith("EVAL", scripts.complete, ...keys, "k", token, "204", "600001");
    await store?.release("k", token);
    expect(call).toHaveBeenLastCalledWith("EVAL", scripts.release, ...keys, token);
  });

  test.each([
    ["done 200", { state: "done", status: 200 }],
    ["inFlight 12345", { state: "inFlight", retryAfterMs: 12_345 }],
  ])("that is answered %j was not the first", async (words, claim) => {
    for (const reply of [words, Buffer.from(words)])
      for (const store of setUp(reply).stores) expect(await store.claim("k", { leaseMs: 1 })).toEqual(claim);
  });

  test.each([
    ...["", "claim", "claimed ", " claimed", "done", "done 20", "done 2000", "done abc", "inFlight", "inFlight -1"],
    ...["inFlight x", undefined, null, 1, ["claimed"], { toString: () => "claimed" }],
  ])("that is answered %j fails, and gives back what it may have taken", async (reply) => {
    const { call, stores } = setUp(reply);
    await expect(stores[0]?.claim("k", { leaseMs: 1 })).rejects.toEqual(oddReply);
    await vi.waitFor(() => expect(call).toHaveBeenCalledTimes(2), { timeout: 60_000 });
    const token = call.mock.calls[0]?.[6];
    expect(call.mock.calls[1]?.slice(1)).toEqual([
      ...[scripts.release, "2", "offers:receipts:{of:k}:lease:k", "offers:receipts:{of:k}:done", token],
    ]);
  });

  test("that Redis refuses fails with what Redis said, and gives back what it may have taken", async () => {
    const cause = new Error("LOADING Redis is loading the dataset in memory");
    const { call, stores } = setUp(cause);
    await expect(stores[0]?.claim("k", { leaseMs: 1 })).rejects.toBe(cause);
    await vi.waitFor(() => expect(call).toHaveBeenCalledTimes(2), { timeout: 60_000 });
    expect(call.mock.calls[1]?.[1]).toBe(scripts.release);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("is not made for %d ms", async (leaseMs) => {
    const { call, stores } = setUp("claimed");
    await expect(stores[0]?.claim("k", { leaseMs })).rejects.toThrow(/^leaseMs must be .* at least 1\.$/);
    expect(call).not.toHaveBeenCalled();
  });
});

describe("a receipt", () => {
  test.each(["settled", "stale", Buffer.from("settled")])("is settled when Redis says %j", async (reply) => {
    for (const store of setUp(reply).stores) {
      await expect(store.complete("k", "t", 200, 0)).resolves.toBeUndefined();
      await expect(store.release("k", "t")).resolves.toBeUndefined();
    }
  });

  test.each(["", "settled ", "unsettled", "stales", "OK", null])("is not when Redis says %j", async (reply) => {
    for (const store of setUp(reply).stores) {
      await expect(store.complete("k", "t", 200, 1)).rejects.toEqual(oddReply);
      await expect(store.release("k", "t")).rejects.toEqual(oddReply);
    }
  });

  test.each([99, 1_000, 200.5, Number.NaN])("has no status of %d", async (status) => {
    const { call, stores } = setUp("settled");
    await expect(stores[0]?.complete("k", "t", status, 1)).rejects.toThrow(/^status must be an HTTP status/);
    expect(call).not.toHaveBeenCalled();
  });

  test.each([100, 999])("may have a status of %d", async (status) =>
    expect(await setUp("settled").stores[0]?.complete("k", "t", status, 1)).toBeUndefined(),
  );

  test.each([-1, Number.NaN])("is not kept for %d ms", async (keepMs) => {
    const { call, stores } = setUp("settled");
    await expect(stores[0]?.complete("k", "t", 200, keepMs)).rejects.toThrow(/^keepMs must be .* at least 0\.$/);
    expect(call).not.toHaveBeenCalled();
  });
});

test("a Redis that does not answer is not waited for, and what it grants later is given back", async () => {
  let answer = (_: string) => {};
  const replies = [
    new Promise<string>((resolve) => {
      answer = resolve;
    }),
  ];
  const { call, stores } = setUp(() => replies.shift() ?? "settled", { timeoutMs: 5 });
  await expect(stores[0]?.claim("k", { leaseMs: 1 })).rejects.toThrow("Redis has not answered within 5 ms.");
  expect(call).toHaveBeenCalledTimes(1);
  answer("claimed");
  await vi.waitFor(() => expect(call.mock.calls.map((sent) => sent[1])).toEqual([scripts.claim, scripts.release]), {
    timeout: 60_000,
  });
});

const client = { call: async () => "claimed" };

test.each([undefined, null, {}, "redis://127.0.0.1", { call: 1 }, { eval: "x" }])("%j is no client", (other) =>
  expect(() => redisReceipts(other as unknown as RedisClient)).toThrow(
    expect.objectContaining({
      code: "invalid_option",
      message: expect.stringMatching(/npm redis \(4 or newer\) or ioredis/),
    }),
  ),
);

test.each(["", "{", "a{b", "a}b", "}", 7 as unknown as string])("%j is no prefix", (prefix) =>
  expect(() => redisReceipts(client, { prefix })).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(/^prefix must be/) }),
  ),
);

test.each([0, 60_001, 1.5, Number.NaN, "5" as unknown as number])("%j is no time to wait", (timeoutMs) =>
  expect(() => redisReceipts(client, { timeoutMs })).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(/^timeoutMs must be/) }),
  ),
);

test.each([1, 60_000])("%d ms is a time to wait", (timeoutMs) =>
  expect(redisReceipts(client, { timeoutMs })).toHaveProperty("claim"),
);
