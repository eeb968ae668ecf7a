import { describe, expect, test, vi } from "vitest";
import { type RedisClient, redisDeduplication, scripts } from "./redis-deduplication.ts";

/** Creates a store with a client of each library. The clients return `result` and record their calls. Other tests run against Redis. */
function setUp(result: unknown, options: Parameters<typeof redisDeduplication>[1] = {}) {
  const call = vi.fn(async (..._sent: string[]): Promise<unknown> => {
    const response = typeof result === "function" ? result() : result;
    if (response instanceof Error) throw response;
    return response;
  });
  const nodeRedis = {
    eval: (script: string, { keys, arguments: args }: { keys: string[]; arguments: string[] }) =>
      call("EVAL", script, String(keys.length), ...keys, ...args),
  };
  const clients: RedisClient[] = [{ call }, nodeRedis];
  return { call, stores: clients.map((client) => redisDeduplication(client, options)) };
}

const unexpectedResponse = expect.objectContaining({
  message: expect.stringMatching(/Unexpected response from Redis/),
});

describe("acquire", () => {
  test("acquire runs one script with two keys in one slot and a new token", async () => {
    const { call, stores } = setUp("acquired");
    for (const store of stores) {
      const result = await store.acquire("k", { leaseMs: 20_999.5 });
      expect(result).toEqual({ state: "acquired", token: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      const token = "token" in result ? result.token : "";
      const keys = ["2", "offers:deduplication:{of:k}:lease:k", "offers:deduplication:{of:k}:completed"];
      expect(call).toHaveBeenLastCalledWith("EVAL", scripts.acquire, ...keys, "k", token, "21000");
    }
    const [first, second] = call.mock.calls.map((sent) => sent[6]);
    expect(first).not.toBe(second);
  });

  test("acquire uses the subject's slot if there is a subject, and later calls with its token use the same slot", async () => {
    const { call, stores } = setUp("acquired", { prefix: "own:" });
    const [store] = stores;
    const result = await store?.acquire("k", { leaseMs: 1, subject: "s.t" });
    const token = result && "token" in result ? result.token : "";
    const keys = ["2", "own:{of:s.t}:lease:k", "own:{of:s.t}:completed"];
    expect(call).toHaveBeenLastCalledWith("EVAL", scripts.acquire, ...keys, "k", token, "1");
    expect(token).toMatch(/^[0-9a-f-]{36}\.s\.t$/);
    call.mockResolvedValue("settled");
    await store?.complete("k", token, 204, 600_000.2);
    expect(call).toHaveBeenLastCalledWith("EVAL", scripts.complete, ...keys, "k", token, "204", "600001");
    await store?.release("k", token);
    expect(call).toHaveBeenLastCalledWith("EVAL", scripts.release, ...keys, token);
  });

  test.each([
    ["completed 200", { state: "completed", status: 200 }],
    ["inProgress 12345", { state: "inProgress", retryAfterMs: 12_345 }],
  ])("acquire reports the state of the other request if Redis returns %j", async (text, expected) => {
    for (const result of [text, Buffer.from(text)])
      for (const store of setUp(result).stores) expect(await store.acquire("k", { leaseMs: 1 })).toEqual(expected);
  });

  test.each([
    "",
    "acquire",
    "acquired ",
    " acquired",
    "completed",
    "completed 20",
    "completed 2000",
    "done abc",
    "inProgress",
    "inProgress -1",
    "inProgress x",
    undefined,
    null,
    1,
    ["acquired"],
    { toString: () => "acquired" },
  ])("acquire fails and releases the key that it may have acquired if Redis returns %j", async (result) => {
    const { call, stores } = setUp(result);
    await expect(stores[0]?.acquire("k", { leaseMs: 1 })).rejects.toEqual(unexpectedResponse);
    await vi.waitFor(() => expect(call).toHaveBeenCalledTimes(2), { timeout: 60_000 });
    const token = call.mock.calls[0]?.[6];
    expect(call.mock.calls[1]?.slice(1)).toEqual([
      scripts.release,
      "2",
      "offers:deduplication:{of:k}:lease:k",
      "offers:deduplication:{of:k}:completed",
      token,
    ]);
  });

  test("acquire fails with Redis' error and releases the key that it may have acquired", async () => {
    const cause = new Error("LOADING Redis is loading the dataset in memory");
    const { call, stores } = setUp(cause);
    await expect(stores[0]?.acquire("k", { leaseMs: 1 })).rejects.toBe(cause);
    await vi.waitFor(() => expect(call).toHaveBeenCalledTimes(2), { timeout: 60_000 });
    expect(call.mock.calls[1]?.[1]).toBe(scripts.release);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("acquire rejects a lease of %d ms", async (leaseMs) => {
    const { call, stores } = setUp("acquired");
    await expect(stores[0]?.acquire("k", { leaseMs })).rejects.toThrow(
      /^leaseMs must be a finite number of milliseconds, at least 1\.$/,
    );
    expect(call).not.toHaveBeenCalled();
  });
});

describe("complete and release", () => {
  test.each(["settled", "stale", Buffer.from("settled")])(
    "a record is settled when Redis returns %j",
    async (result) => {
      for (const store of setUp(result).stores) {
        await expect(store.complete("k", "t", 200, 0)).resolves.toBeUndefined();
        await expect(store.release("k", "t")).resolves.toBeUndefined();
      }
    },
  );

  test.each(["", "settled ", "unsettled", "stales", "OK", null])(
    "a record is not settled when Redis returns %j",
    async (result) => {
      for (const store of setUp(result).stores) {
        await expect(store.complete("k", "t", 200, 1)).rejects.toEqual(unexpectedResponse);
        await expect(store.release("k", "t")).rejects.toEqual(unexpectedResponse);
      }
    },
  );

  test.each([99, 1_000, 200.5, Number.NaN])("a record cannot have the status %d", async (status) => {
    const { call, stores } = setUp("settled");
    await expect(stores[0]?.complete("k", "t", status, 1)).rejects.toThrow(/^status must be an HTTP status/);
    expect(call).not.toHaveBeenCalled();
  });

  test.each([100, 999])("a record may have the status %d", async (status) =>
    expect(await setUp("settled").stores[0]?.complete("k", "t", status, 1)).toBeUndefined(),
  );

  test.each([-1, Number.NaN])("a record cannot be kept for %d ms", async (keepMs) => {
    const { call, stores } = setUp("settled");
    await expect(stores[0]?.complete("k", "t", 200, keepMs)).rejects.toThrow(
      /^keepMs must be a finite number of milliseconds, at least 0\.$/,
    );
    expect(call).not.toHaveBeenCalled();
  });
});

test("a call times out if Redis does not respond, and a lease that is granted later is released", async () => {
  let respond = (_: string) => {};
  const results = [
    new Promise<string>((resolve) => {
      respond = resolve;
    }),
  ];
  const { call, stores } = setUp(() => results.shift() ?? "settled", { timeoutMs: 5 });
  await expect(stores[0]?.acquire("k", { leaseMs: 1 })).rejects.toEqual(
    expect.objectContaining({ message: "Redis did not respond within 5 ms." }),
  );
  expect(call).toHaveBeenCalledTimes(1);
  respond("acquired");
  await vi.waitFor(() => expect(call.mock.calls.map((sent) => sent[1])).toEqual([scripts.acquire, scripts.release]), {
    timeout: 60_000,
  });
});

test("waiting for Redis does not keep the process alive", () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = countTimers();
  const silent = redisDeduplication({ call: () => new Promise(() => undefined) });
  Promise.resolve(silent.acquire("k", { leaseMs: 1 })).catch(() => undefined);
  expect(countTimers()).toBe(before);
});

const client = { call: async () => "acquired" };

test.each([undefined, null, {}, "redis://127.0.0.1", { call: 1 }, { eval: "x" }])("%j is not a Redis client", (value) =>
  expect(() => redisDeduplication(value as unknown as RedisClient)).toThrow(
    expect.objectContaining({
      code: "invalid_option",
      message: expect.stringMatching(/redis \(4 or newer\) or ioredis/),
    }),
  ),
);

test.each(["", "{", "a{b", "a}b", "}", 7 as unknown as string])("rejects the prefix %j", (prefix) =>
  expect(() => redisDeduplication(client, { prefix })).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(/^prefix must be/) }),
  ),
);

test.each([0, 60_001, 1.5, Number.NaN, "5" as unknown as number])("rejects the timeout %j", (timeoutMs) =>
  expect(() => redisDeduplication(client, { timeoutMs })).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(/^timeoutMs must be/) }),
  ),
);

test.each([1, 60_000])("accepts a timeout of %d ms", (timeoutMs) =>
  expect(redisDeduplication(client, { timeoutMs })).toHaveProperty("acquire"),
);
