import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { inboxesUnderTest } from "./inboxes-under-test.ts";

const createEvent = () => ({ deduplicationKey: randomUUID() });

/** Creates the context of a later attempt at the same event: a new object with the same key. */
const createRetryContext = (event: { deduplicationKey: string }) => ({ ...event });

describe.each(await inboxesUnderTest())("once on $title", ({ inbox, once, query, dialect }) => {
  const countNotes = async (text: string) => (await query("SELECT text FROM notes WHERE text = $1", [text])).length;

  test("an event is handled once, and a retry is a duplicate whose work is not called", async () => {
    const event = createEvent();
    const text = randomUUID();
    expect(await once(event, [text])).toEqual({ duplicate: false });
    expect(await once(createRetryContext(event), [text])).toEqual({ duplicate: true });
    expect(await countNotes(text)).toBe(1);
  });

  test("once returns the result of the work, and no result for a duplicate", async () => {
    const event = createEvent();
    const key = randomUUID();
    expect(await inbox.once(event, async () => ({ id: 7 }))).toEqual({ duplicate: false, result: { id: 7 } });
    expect(await inbox.once(createRetryContext(event), async () => ({ id: 8 }))).toEqual({ duplicate: true });
    expect(await inbox.once({}, async () => null, { key })).toEqual({ duplicate: false, result: null });
  });

  test("an error from the work rolls back its rows and reaches the caller unchanged, and the retry is handled", async () => {
    const event = createEvent();
    const text = randomUUID();
    const failure = new Error("no planning today");
    const fail = () => {
      throw failure;
    };
    await expect(once(event, [text], { andThen: fail })).rejects.toBe(failure);
    expect(await countNotes(text)).toBe(0);
    expect(await once(createRetryContext(event), [text])).toEqual({ duplicate: false });
    expect(await countNotes(text)).toBe(1);
  });

  test("when the work catches the error of a failed statement, rows and record are committed together or not at all [D-137]", async () => {
    const event = createEvent();
    const text = randomUUID();
    const insertNullAndCatch = (write: (text: string) => Promise<unknown>) =>
      write(null as never).catch(() => undefined);
    const attempt = once(event, [text], { andThen: insertNullAndCatch });
    // After a failed statement, PostgreSQL rolls back the transaction, but SQLite and MySQL only the statement.
    if (dialect.abortsOnError) await expect(attempt).rejects.toThrow();
    else expect(await attempt).toEqual({ duplicate: false });
    expect(await countNotes(text)).toBe(dialect.abortsOnError ? 0 : 1);
    expect(await once(createRetryContext(event), [text])).toEqual({ duplicate: !dialect.abortsOnError });
    expect(await countNotes(text)).toBe(1);
  });

  test("of twenty concurrent attempts at one event, one is handled and all others wait for its commit [D-100]", async () => {
    const event = createEvent();
    const text = randomUUID();
    const results = await Promise.all(Array.from({ length: 20 }, () => once(createRetryContext(event), [text])));
    expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(await countNotes(text)).toBe(1);
  });

  test("when the first of two concurrent attempts fails, the other is handled [D-100] [D-137]", async () => {
    const event = createEvent();
    const text = randomUUID();
    let reportStart = () => {};
    const started = new Promise<void>((resolve) => {
      reportStart = resolve;
    });
    const fail = async () => {
      reportStart();
      await pause(50);
      throw new Error("later");
    };
    const firstAttempt = once(event, [text], { andThen: fail });
    await started;
    const secondAttempt = once(createRetryContext(event), [text]);
    await expect(firstAttempt).rejects.toThrow("later");
    expect(await secondAttempt).toEqual({ duplicate: false });
    expect(await countNotes(text)).toBe(1);
  });

  test("a second call with the same context rejects, both during the first and after it", async () => {
    const event = createEvent();
    const usedTwiceError = expect.objectContaining({ name: "ConfigurationError", code: "inbox_used_twice" });
    const nestedCall = once(event, [], { andThen: () => once(event, []) });
    await expect(nestedCall).rejects.toEqual(usedTwiceError);
    await once(event, []);
    await expect(once(event, [])).rejects.toEqual(usedTwiceError);
    await expect(once(event, [], { key: randomUUID() })).rejects.toEqual(usedTwiceError);
  });

  test("after a call that rejects, once can be called again with the same context", async () => {
    const event = createEvent();
    const text = randomUUID();
    await expect(once(event, [text], { andThen: () => Promise.reject(new Error("deadlock")) })).rejects.toThrow(
      "deadlock",
    );
    expect(await once(event, [text])).toEqual({ duplicate: false });
    expect(await countNotes(text)).toBe(1);
  });

  test("without a signed id, once requires a key, and writes nothing if the key is missing [D-100]", async () => {
    const text = randomUUID();
    const keyRequiredError = expect.objectContaining({ name: "ConfigurationError", code: "inbox_key_required" });
    await expect(once({}, [text])).rejects.toEqual(keyRequiredError);
    await expect(once({}, [text], { key: "" })).rejects.toEqual(keyRequiredError);
    await expect(once(createEvent(), [text], { key: 7 as never })).rejects.toEqual(keyRequiredError);
    expect(await countNotes(text)).toBe(0);
    expect(await once({}, [text], { key: text })).toEqual({ duplicate: false });
    expect(await once({}, [text], { key: text })).toEqual({ duplicate: true });
    expect(await countNotes(text)).toBe(1);
  });

  test.each(["'; DROP TABLE notes; --", '"', "\\", "\u0000", "k".repeat(100_000)])(
    "key %# is stored as plain data, whatever it contains",
    async (key) => {
      expect(await once({}, [], { key })).toEqual({ duplicate: false });
      expect(await once({}, [], { key })).toEqual({ duplicate: true });
      // Fails if the key dropped the table.
      await query("SELECT count(*) FROM notes");
    },
  );

  test("expired records are deleted in batches, and still mark duplicates until then [D-100]", async () => {
    const event = createEvent();
    const text = randomUUID();
    await once(event, [text]);
    const expireSql = `UPDATE offers_inbox SET expires = ${dialect.now} WHERE expires > ${dialect.now}`;
    await query(expireSql);
    expect(await once(createRetryContext(event), [text])).toEqual({ duplicate: true });
    for (let count = 0; count < 6; count += 1) await once(createEvent(), []);
    const unexpiredEvent = createEvent();
    await query(expireSql);
    await once(unexpiredEvent, []);
    const [before] = await query("SELECT count(*) AS records FROM offers_inbox");
    // Only the record of `unexpiredEvent` remains.
    expect(await inbox.deleteExpired({ batchSize: 3 })).toBe(Number(before?.records) - 1);
    expect(await inbox.deleteExpired()).toBe(0);
    expect(await once(createRetryContext(unexpiredEvent), [])).toEqual({ duplicate: true });
    expect(await once(createRetryContext(event), [text])).toEqual({ duplicate: false });
  });
});

describe.each(await inboxesUnderTest({ keepMs: 5_000 }))("keepMs on $title", ({ once, query, dialect }) => {
  test("once stores a record that expires after keepMs", async () => {
    await once(createEvent(), []);
    const [row] = await query(
      `SELECT ${dialect.secondsLeft} AS seconds, status FROM offers_inbox ORDER BY expires DESC LIMIT 1`,
    );
    expect(row).toMatchObject({ status: 200 });
    expect(Number(row?.seconds)).toBeGreaterThan(0);
    expect(Number(row?.seconds)).toBeLessThanOrEqual(5);
  });
});
