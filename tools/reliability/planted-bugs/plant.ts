import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const root = new URL("../../../", import.meta.url);
const outbox = "examples/platform/src/dispatch/outbox";
const webhooks = "examples/platform/src/dispatch/webhooks";
const feedPositions = "examples/platform/src/store/feed-positions.ts";
const inbox = "packages/webhook-kit/src/inbox";

/** A guard that is taken out of the source while it is loaded. */
interface Edit {
  file: string;
  /** Occurs once. */
  fragment: string;
  replacement: string;
}

type Bugs = Readonly<Record<string, readonly Edit[]>>;

/** What production does seldom, an explorer does every second time. */
const always: readonly Edit[] = [
  { file: `${outbox}/windows.ts`, fragment: "hashint8(token) & 31 = 0", replacement: "hashint8(token) & 1 = 0" },
];

/** Found by the simulator. Production code has no switch for these: its text is changed on its way into Node. */
export const simulatorBugs: Bugs = {
  /** The result of an attempt counts although the lease has ended. */
  fence: [
    {
      file: `${outbox}/leases.ts`,
      fragment: "const held = attempted.filter(({ lease }) => ended.has(lease.token));",
      replacement: "const held = [...attempted]; void ended;",
    },
  ],
  "wake-up in the transaction": [
    {
      file: `${webhooks}/record-event.ts`,
      fragment: 'await wakeLanes(trx, "webhooks", [organisationId]);',
      replacement: "void wakeLanes;",
    },
  ],
  /** Two guards: an attempt plans a wake-up for its own retry, and a claim for the next row of the lane. */
  "wake-up when due": [
    {
      file: `${webhooks}/settle-attempts.ts`,
      fragment: ["$", '{wakeWhenDue("webhooks")}'].join(""),
      replacement: "select where false",
    },
    {
      file: `${outbox}/claim-rows.ts`,
      fragment: `where "hasRoom" and "isCut" is not true`,
      replacement: "where false",
    },
  ],
  /** What was claimed and not begun, or by a claim whose reply was lost. */
  "release of claimed rows": [
    {
      file: `${outbox}/start-dispatcher.ts`,
      fragment: "await leases.freeAllBut(queue.name, [...underWay.keys()]);",
      replacement: "void leases;",
    },
  ],
  /** Two guards: before an attempt begins, and before its request is written. */
  "lease is held": [
    {
      file: `${outbox}/leases.ts`,
      fragment: "return () => this.#count === count && performance.now() < this.#heldUntilMs;",
      replacement: "return () => count >= 0;",
    },
  ],
  "leases of the dead": [
    {
      file: `${outbox}/leases.ts`,
      fragment: " and lease_until < now()`",
      replacement: " and false`",
    },
  ],
  capacity: [
    {
      file: `${outbox}/claim-rows.ts`,
      fragment: "greatest(0, capacity - (",
      replacement: "greatest(0, capacity - 0 * (",
    },
  ],
  /** Two guards: the lane is closed, and what was claimed before is not loaded. */
  "disabled endpoint": [
    {
      file: `${webhooks}/start-delivery.ts`,
      fragment: "when organisation_id is null or disabled_at is not null then 0",
      replacement: "when organisation_id is null then 0",
    },
    {
      file: `${webhooks}/attempt-delivery.ts`,
      fragment: '.where("endpoints.disabled_at", "is", null)',
      replacement: "",
    },
  ],
  "order key": [
    {
      file: `${webhooks}/settle-attempts.ts`,
      fragment: "order by sequence\n        limit 1",
      replacement: "order by sequence desc\n        limit 1",
    },
  ],
  "release of the next": [
    {
      file: `${webhooks}/settle-attempts.ts`,
      fragment: "await releaseNext(trx, settled);",
      replacement: "void settled;",
    },
  ],
  "restart of schedules": [
    {
      file: `${webhooks}/disabled-endpoint.ts`,
      fragment: "set attempts = 0, due_at = least(due_at, now())",
      replacement: "set attempts = 0",
    },
  ],
  "restart during an attempt": [
    {
      file: `${webhooks}/settle-attempts.ts`,
      fragment: "const isRestarted = sql`deliveries.attempts <> outcome.before and outcome.state <> 'acknowledged'`;",
      replacement: "const isRestarted = sql`false`;",
    },
  ],
  /** A duplicate is handled again. */
  "inbox record": [
    {
      file: `${inbox}/postgres-dialect.ts`,
      fragment: "ON CONFLICT (key) DO NOTHING RETURNING key`,",
      replacement: "ON CONFLICT (key) DO UPDATE SET status = 200 RETURNING key`,",
    },
  ],
  /** An event whose handling was rolled back counts as handled. */
  "inbox record in the transaction": [
    {
      file: `${inbox}/postgres-databases.ts`,
      fragment: 'const rows = ((await client.query(["BEGIN", ...first].join(";"))) as SqlResult[]).at(-1)?.rows ?? [];',
      replacement:
        'const rows = [await client.query(first.join(";"))].flat().at(-1)?.rows ?? []; await client.query("BEGIN");',
    },
  ],
};

/** Found by interleavings on PostgreSQL: PGlite runs one transaction after the other, so these guards do nothing there. */
export const interleavingBugs: Bugs = {
  /** Two claims at a time would lease the same rows. */
  "one claim at a time of each shard": [
    {
      file: `${outbox}/shards.ts`,
      fragment: "where pg_try_advisory_xact_lock(",
      replacement: "where pg_try_advisory_xact_lock_shared(",
    },
  ],
  "settling lock": [
    {
      file: `${outbox}/outbox-queue.ts`,
      fragment: ", pg_advisory_xact_lock(",
      replacement: ", pg_advisory_xact_lock_shared(",
    },
  ],
  /** Who records an event locks the delivery before it, so that whoever settles that one sees this one. */
  "lock of an order key": [
    {
      file: `${webhooks}/record-event.ts`,
      fragment: "order by sequence\n    for update`",
      replacement: "order by sequence`",
    },
  ],
  "lock of a settled delivery": [
    {
      file: `${webhooks}/redeliver.ts`,
      fragment: "order by sequence\n    for update`",
      replacement: "order by sequence`",
    },
  ],
  "lock of an endpoint": [
    {
      file: `${webhooks}/settle-attempts.ts`,
      fragment: "order by organisation_id\n    for update`",
      replacement: "order by organisation_id`",
    },
  ],
  "lock of a lapsed process": [
    {
      file: `${outbox}/leases.ts`,
      fragment: "for update skip locked\n      ), theirs as",
      replacement: "), theirs as",
    },
  ],
  "lock of a feed": [{ file: feedPositions, fragment: " for update`.execute(trx)", replacement: "`.execute(trx)" }],
  /** A number that was taken before the commit: a reader passes it. */
  "positions of committed rows": [
    { file: feedPositions, fragment: "set position = last_position + place", replacement: "set position = place" },
    {
      file: feedPositions,
      fragment: "row_number() over (partition by owner order by number) as place",
      replacement: "number as place",
    },
  ],
  /** A row that was committed late lies before the window of its lane. */
  "window of late rows": [{ file: `${outbox}/windows.ts`, fragment: "since < due_from or ", replacement: "" }],
  "lock of an offer": [
    { file: "examples/platform/src/offers/apply-action.ts", fragment: "\n    .forUpdate()", replacement: "" },
  ],
};

/**
 * From now on, modules are loaded with this bug. The kit is loaded from its source, not from what was built of it, with a bug
 * or without.
 *
 * @throws when there is no such bug, and when a fragment does not occur exactly once
 */
export function plant(bugs: Bugs, name: string | undefined): void {
  const planted = name === undefined ? [] : bugs[name];
  if (planted === undefined) throw new Error(`There is no bug ${name}, only: ${Object.keys(bugs).join(", ")}.`);
  const edits = [...always, ...planted];
  for (const { file, fragment } of edits)
    if (readFileSync(new URL(file, root), "utf8").split(fragment).length !== 2)
      throw new Error(`${file} does not have exactly one: ${fragment}`);
  registerHooks({
    resolve(specifier, context, next) {
      const [, entry] = /^@offers\/webhook-kit(?:\/(.*))?$/.exec(specifier) ?? [];
      if (!specifier.startsWith("@offers/webhook-kit")) return next(specifier, context);
      return next(new URL(`packages/webhook-kit/src/${entry ?? "index"}.ts`, root).href, context);
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const here = edits.filter(({ file }) => new URL(file, root).href === url);
      if (here.length === 0) return loaded;
      let source = String(loaded.source);
      for (const { fragment, replacement } of here) source = source.replace(fragment, () => replacement);
      return { ...loaded, source };
    },
  });
}
