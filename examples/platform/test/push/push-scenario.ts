import { fc } from "../../../../scripts/property-seed.ts";
import type { PushResponse } from "./push-service.ts";

export const workersPerScenario = 2;

/** A step, with workers and offers identified by number. */
export type PushStep =
  | { type: "create"; workers: readonly number[] }
  | { type: "complete"; offer: number; worker: number }
  | { type: "withdraw"; offer: number }
  | { type: "add a device"; worker: number }
  | { type: "take over a device"; worker: number }
  | { type: "remove a device"; worker: number };

interface Round {
  /** How the push service responds from this round on. */
  service: PushResponse;
  steps: readonly PushStep[];
}

/** Steps that change the offers of one organisation and the devices of its workers. */
export type PushScenario = readonly Round[];

/** Scenarios that run concurrently on one clock and in two processes. */
export interface PushScenarios {
  scenarios: readonly PushScenario[];
  /** What happens after each round. */
  pauses: readonly { ms: number; restarts: boolean }[];
}

const roundCount = 5;
const worker = fc.nat(workersPerScenario - 1);
const workers = fc.uniqueArray(worker, { minLength: 1, maxLength: workersPerScenario });
const offer = fc.nat(2);

const step = fc.oneof(
  fc.record({ type: fc.constant("create" as const), workers }),
  fc.record({ type: fc.constant("withdraw" as const), offer }),
  fc.record({ type: fc.constant("complete" as const), offer, worker }),
  fc.record({ type: fc.constantFrom("add a device", "take over a device", "remove a device"), worker }),
) as fc.Arbitrary<PushStep>;

const service = fc.constantFrom<PushResponse>(
  "accepts",
  "rejects",
  "resets",
  "hangs, then rejects",
  "hangs, then accepts",
);

const scenario: fc.Arbitrary<PushScenario> = fc
  .tuple(
    fc.record({ service, steps: fc.tuple(fc.record({ type: fc.constant("create" as const), workers })) }),
    fc.array(fc.record({ service, steps: fc.array(step, { maxLength: 2 }) }), {
      minLength: 1,
      maxLength: roundCount - 1,
    }),
  )
  .map(([firstRound, laterRounds]) => [firstRound, ...laterRounds]);

export const pushScenarios = (count: number): fc.Arbitrary<PushScenarios> =>
  fc.record({
    scenarios: fc.array(scenario, { minLength: count, maxLength: count }),
    pauses: fc.array(fc.record({ ms: fc.constantFrom(0, 6_000, 60_000, 3_600_000), restarts: fc.boolean() }), {
      minLength: roundCount,
      maxLength: roundCount,
    }),
  });
