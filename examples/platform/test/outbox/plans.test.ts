import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { describe, expect, test } from "vitest";
import { loadDeliveries } from "../../src/webhooks/attempt-delivery.ts";
import { settleAttempts } from "../../src/webhooks/settle-attempts.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { recordStatements } from "../support/statements.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useLeases } from "./use-leases.ts";

const now = (): Date => new Date();
const context = {
  now,
  random: Math.random,
  breaker: defaultBreakerPolicy,
  retrySchedule: defaultRetrySchedule,
  linkTo: String,
};

// PostgreSQL is enough, because PGlite has the same planner and settings.
const postgres = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(postgres)("claiming and settling on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { openProcessLeases, claim } = outbox;

  async function claimAndSettle(): Promise<void> {
    const { store } = outbox;
    const claimed = (await claim(openProcessLeases())) ?? [];
    const rows = await loadDeliveries(store, claimed, now());
    const attempted = claimed.map((lease) => {
      const row = rows.get(lease.rowId);
      if (row === undefined) throw new Error(`no delivery ${lease.rowId}`);
      const path = "/contact/new/{workerId}";
      const request = { number: 1, method: "GET", path, filledPath: path, startedAt: now() } as const;
      return { lease, row, result: { ...request, durationMs: 1, status: 200 } };
    });
    const { attempts } = await store.transaction((trx) => settleAttempts(trx, context, attempted));
    expect(attempts).toHaveLength(8);
  }

  test("claiming and settling use indexes even with a backlog and a history of deliveries", async () => {
    const { store, organisationId } = outbox;
    // Record in batches, because a statement may take only five seconds, even while all other tests are running.
    for (let recorded = 0; recorded < 20_000; recorded += 2_500) await recordDueEvents(store, organisationId, 2_500);
    await store.execute("update deliveries set state = 'acknowledged', due_at = null");
    await recordDueEvents(store, organisationId, 1_000);
    await store.execute(`
      insert into outbox_leases (queue, row_id, lane, process_id)
      select 'webhooks', 1e9::int8 + number, 'lane-' || number % 100, gen_random_uuid() from generate_series(1, 20000) as number`);
    await store.execute("analyze");
    const statements = recordStatements();
    await claimAndSettle();
    for (const [fragment, scan] of [
      ["insert into outbox_leases", "using outbox_leases_queue_lane_idx on outbox_leases"],
      ["insert into attempts", "Index Scan using deliveries_pkey on deliveries"],
    ] as const) {
      const { text, values } = statements.find((statement) => statement.text.includes(fragment)) ?? {
        text: fragment,
        values: [],
      };
      const { rows } = await store.execute(`explain ${text}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toContain(scan);
      expect(plan).not.toContain("Bitmap");
    }
  });
});
