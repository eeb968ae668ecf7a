import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { recordStatements } from "../support/statements.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { startRecordingDispatcher, useLeases } from "./use-leases.ts";

/** The kinds of statements that an idle dispatcher sends, and a fragment of SQL that identifies each kind. */
const statementKinds: readonly [kind: string, fragment: string][] = [
  ["lock lanes", "pg_try_advisory_xact_lock("],
  ["lease rows", "insert into outbox_leases"],
  ["read the next due time", "as expiry"],
  ["release a dead process's leases", "for update skip locked"],
];

describe.each(await storesUnderTest())("an idle dispatcher on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);

  test("an idle dispatcher claims a new event, and polls once for more", async () => {
    const { store } = outbox;
    const statements = recordStatements();
    const listSentKinds = () =>
      statements
        .map(({ text }) => text.replaceAll(/\s+/g, " "))
        .flatMap((text) => statementKinds.filter(([, fragment]) => text.includes(fragment)).map(([kind]) => kind));
    /** Returns a condition that is true once the dispatcher has read the next due time at least this many times. */
    const hasReadDueTime = (times: number) => () =>
      listSentKinds().filter((kind) => kind === "read the next due time").length >= times;
    let respond = (): void => undefined;
    const response = new Promise<string>((resolve) => {
      respond = () => resolve("done");
    });
    const { loop } = startRecordingDispatcher(store, outbox.openProcessLeases(), { attempt: () => response });
    onTestFinished(() => loop.stop());
    await eventually("the dispatcher is idle", hasReadDueTime(1));
    await setTimeout(100);
    await recordDueEvents(store, outbox.organisationId, 1);
    statements.length = 0;
    loop.wake();
    await eventually("the dispatcher has polled", hasReadDueTime(1));
    respond();
    await eventually("the dispatcher has polled again after its attempt has ended", hasReadDueTime(2));
    const poll = ["lock lanes", "lease rows", "read the next due time"];
    expect(listSentKinds().slice(0, 2 * poll.length)).toEqual([...poll, ...poll]);
  });
});
