import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { deduplicationConformance } from "../../src/testing.ts";
import { inboxesUnderTest } from "./inboxes-under-test.ts";

describe.each(await inboxesUnderTest())("an inbox on $title", ({ inbox, once, query }) => {
  for (const { name, run } of deduplicationConformance(() => inbox)) test(name, run);

  test("an inbox does not confuse the lease of acquire with the record of once under the same key", async () => {
    const key = randomUUID();
    expect(await inbox.acquire(key, { leaseMs: 60_000 })).toMatchObject({ state: "acquired" });
    expect(await once({ deduplicationKey: key }, [])).toEqual({ duplicate: false });
    expect(await once({}, [], { key })).toEqual({ duplicate: false });
    expect(await inbox.acquire(key, { leaseMs: 60_000 })).toMatchObject({ state: "inProgress" });
  });

  test("an inbox stores hashes and statuses, but no data from events", async () => {
    await once({}, [], { key: "worker_amal@example.com" });
    const rows = await query("SELECT * FROM offers_inbox");
    expect(JSON.stringify(rows)).not.toContain("amal");
  });
});
