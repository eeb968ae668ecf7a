import { fc } from "../../../../tools/property-seed.ts";
import type { Treatment } from "./push-service.ts";

export const workersPerStory = 2;

/** Of workers and offers by their number. */
export type PushDeed =
  | { does: "create"; workers: readonly number[] }
  | { does: "complete"; offer: number; worker: number }
  | { does: "withdraw"; offer: number }
  | { does: "add a device"; worker: number }
  | { does: "take over a device"; worker: number }
  | { does: "remove a device"; worker: number };

interface Round {
  /** What the push service does from then on. */
  service: Treatment;
  deeds: readonly PushDeed[];
}

/** What happens to the offers of one organisation and to its workers' devices. */
export type PushStory = readonly Round[];

/** Stories beside each other in one time, over two processes. */
export interface PushStories {
  stories: readonly PushStory[];
  /** After each round. */
  pauses: readonly { ms: number; restarts: boolean }[];
}

const rounds = 5;
const worker = fc.nat(workersPerStory - 1);
const workers = fc.uniqueArray(worker, { minLength: 1, maxLength: workersPerStory });
const offer = fc.nat(2);

const deed = fc.oneof(
  fc.record({ does: fc.constant("create" as const), workers }),
  fc.record({ does: fc.constant("withdraw" as const), offer }),
  fc.record({ does: fc.constant("complete" as const), offer, worker }),
  fc.record({ does: fc.constantFrom("add a device", "take over a device", "remove a device"), worker }),
) as fc.Arbitrary<PushDeed>;

const service = fc.constantFrom<Treatment>("takes", "refuses", "resets", "hangs, then refuses", "hangs, then takes");

const story: fc.Arbitrary<PushStory> = fc
  .tuple(
    fc.record({ service, deeds: fc.tuple(fc.record({ does: fc.constant("create" as const), workers })) }),
    fc.array(fc.record({ service, deeds: fc.array(deed, { maxLength: 2 }) }), { minLength: 1, maxLength: rounds - 1 }),
  )
  .map(([first, more]) => [first, ...more]);

export const pushStories = (count: number): fc.Arbitrary<PushStories> =>
  fc.record({
    stories: fc.array(story, { minLength: count, maxLength: count }),
    pauses: fc.array(fc.record({ ms: fc.constantFrom(0, 6_000, 60_000, 3_600_000), restarts: fc.boolean() }), {
      minLength: rounds,
      maxLength: rounds,
    }),
  });
