import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { recordStatements } from "../support/statements.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { dispatch, useLeases } from "./use-leases.ts";

/** The statements that an idle dispatcher sends, each identified by a part of its SQL. */
const kinds: readonly [kind: string, part: string][] = [
  ["take lanes", "pg_try_advisory_xact_lock("],
  ["lease rows", "insert into outbox_leases"],
  ["ask when something is due", "as lapse"],
  ["free what a dead process held", "for update skip locked"],
];

describe.each(await storesUnderTest())("an idle dispatcher on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);

  test("claims a new event, and asks once whether there are more", async () => {
    const { store } = outbox;
    const statements = recordStatements();
    const sent = () =>
      statements
        .map(({ text }) => text.replaceAll(/\s+/g, " "))
        .flatMap((text) => kinds.filter(([, part]) => text.includes(part)).map(([kind]) => kind));
    const asked = (times: number) => () =>
      sent().filter((kind) => kind === "ask when something is due").length >= times;
    let respond = (): void => undefined;
    const response = new Promise<string>((resolve) => {
      respond = () => resolve("done");
    });
    const { loop } = dispatch(store, outbox.newProcess(), { attempt: () => response });
    onTestFinished(() => loop.stop());
    await eventually("it is idle", asked(1));
    await setTimeout(100);
    await recordDueEvents(store, outbox.organisationId, 1);
    statements.length = 0;
    loop.wake();
    await eventually("it has asked", asked(1));
    respond();
    await eventually("it has looked at the lane that its attempt had filled", asked(2));
    const look = ["take lanes", "lease rows", "ask when something is due"];
    expect(sent().slice(0, 2 * look.length)).toEqual([...look, ...look]);
  });
});
