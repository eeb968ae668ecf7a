import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Bugs that the crash test can put into the platform's outbox, to prove that it finds them. */
export const platformBugs = ["fence", "release", "cap", "wakeup"] as const;
export type PlatformBug = (typeof platformBugs)[number];

/** One module of the platform, rewritten as it is loaded. */
interface Rewrite {
  /** Below `examples/platform/src`. */
  file: string;
  /** Each text, that must be there exactly once, with what stands in its place. */
  replacements: readonly (readonly [text: string, replacement: string])[];
}

const rewrites: Record<PlatformBug, Rewrite> = {
  /** What was attempted is settled whether or not the lease under which it was is still there. */
  fence: {
    file: "outbox/leases.ts",
    replacements: [["attempted.filter(({ lease }) => ended.has(lease.token))", "attempted.filter(() => ended)"]],
  },
  /**
   * The successor is made due by the statement that settles: it is not in that one's snapshot if it was inserted meanwhile.
   */
  release: {
    file: "webhooks/settle-attempts.ts",
    replacements: [
      ["await releaseNext(", "void Array.of("],
      ["returning id, deliveries.state", "returning id, organisation_id as lane, order_key, deliveries.state"],
      [
        "    )\n    select id from settled",
        `    ), released as (
      update deliveries set due_at = now() where (organisation_id, sequence) in (
        select next.organisation_id, next.sequence from settled cross join lateral (
          select organisation_id, sequence from deliveries
          where organisation_id = settled.lane and order_key = settled.order_key and state = 'pending'
            and deliveries.id <> settled.id
          order by sequence limit 1
        ) as next
        where settled.state <> 'pending'
      )
    )
    select id from settled`,
      ],
    ],
  },
  /** A claim does not count what is under way at an endpoint already. */
  cap: {
    file: "outbox/claim.ts",
    replacements: [["capacity - (", "capacity - 0 * ("]],
  },
  /** Every second wake-up for deliveries is lost, of those that are recorded and of those that are settled. */
  wakeup: {
    file: "outbox/queue.ts",
    replacements: [
      [
        "if (distinct.length === 0) return;",
        'if (distinct.length === 0 || (queue === "webhooks" && Math.random() < 0.5)) return;',
      ],
    ],
  },
};

const sources = join(import.meta.dirname, "../../../../examples/platform/src");

/** The module that a bug rewrites. */
export const fileWithBug = (bug: PlatformBug): string => join(sources, rewrites[bug].file);

/**
 * The module's text with the bug.
 *
 * @throws when the text that it replaces is not there: the platform has changed, so change the rewrite
 */
export function withBug(bug: PlatformBug, source = readFileSync(fileWithBug(bug), "utf8")): string {
  const { file, replacements } = rewrites[bug];
  return replacements.reduce((text, [old, replacement]) => {
    const parts = text.split(old);
    if (parts.length !== 2) throw new Error(`bug ${bug}: ${file} has ${parts.length - 1} times: ${old}`);
    return parts.join(replacement);
  }, source);
}
