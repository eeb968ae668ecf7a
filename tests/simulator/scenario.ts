import { Schedule } from "./schedule.ts";

/**
 * The possible faults, each with its probability per step of a process, statement, request or user action.
 */
export const faultRates = {
  /** Per step of a platform process. */
  kill: 0.002,
  stop: 0.001,
  stall: 0.002,
  /**
   * Per step between a claim and the outcome of its attempt. There are few such steps, and leases exist for stalls during them.
   */
  stallDuringAttempt: 0.04,
  /** Per step of the receiver. */
  receiverKill: 0.01,
  receiverStall: 0.01,
  /** Per step of any process. Its wall clock jumps by up to an hour, or the database clock by up to ten seconds. */
  clockJump: 0.002,
  databaseClockJump: 0.001,
  lostStatements: 0.01,
  lostReplies: 0.01,
  lostNotifications: 0.7,
  slowCommits: 0.03,
  refused: 0.2,
  lostRequests: 0.1,
  lostResponses: 0.2,
  doubled: 0.2,
  slow: 0.2,
  unavailable: 0.3,
  gone: 0.05,
  /** Per event: a user enables the endpoint, saves its profile, or retries a delivery. */
  enable: 0.2,
  profile: 0.2,
  retryNow: 0.2,
} as const;

export type FaultName = keyof typeof faultRates;
export const faultNames = Object.keys(faultRates) as FaultName[];

/** Everything that determines what happens in a run. */
export interface Scenario {
  seed: number;
  processes: number;
  organisations: number;
  /** The number of order keys of each organisation. */
  keys: number;
  events: number;
  /** The period in which the events are recorded. */
  spreadMs: number;
  faults: Partial<Record<FaultName, number>>;
}

/**
 * Derives the scenario from a seed. Most scenarios have one frequent fault and few others, because the checker must excuse more violations
 * when more faults occur. An eighth each are bursts, takeovers and outages, because random scenarios rarely test the guards for these.
 */
export function createScenario(seed: number): Scenario {
  // Change the seed, so that these choices do not repeat the random numbers of the run, which uses the seed itself.
  const schedule = new Schedule(seed ^ 0x5bd1e995);
  const create = schedule.pick([
    createBurst,
    createTakeover,
    createOutage,
    createRandomScenario,
    createRandomScenario,
    createRandomScenario,
    createRandomScenario,
    createRandomScenario,
  ]);
  return { seed, ...create(schedule) };
}

/**
 * Creates a scenario in which more deliveries are due than an endpoint's capacity. Attempts are slow, because fast ones never reach the
 * limit. The receiver restarts, because it needs its inbox only for events that are no longer in its memory.
 */
function createBurst(schedule: Schedule): Omit<Scenario, "seed"> {
  const { processes, faults } = createRandomScenario(schedule);
  const common = { slow: 0.9, receiverKill: 0.04 };
  return { processes, organisations: 1, keys: 50, events: 12, spreadMs: 50, faults: { ...common, ...faults } };
}

/** Creates a scenario in which an endpoint fails until the retry delays are long. Then a user may restart the schedule. */
function createOutage(schedule: Schedule): Omit<Scenario, "seed"> {
  const faults: Scenario["faults"] = { slow: 0.4, [schedule.pick(["unavailable", "unavailable", "gone"] as const)]: 1 };
  if (schedule.chance(0.5)) faults[schedule.pick(["enable", "profile", "retryNow"] as const)] = 0.3;
  return {
    processes: schedule.between(1, 2),
    organisations: 1,
    keys: schedule.between(1, 3),
    events: schedule.between(2, 5),
    spreadMs: schedule.pick([1_000, 6_000]),
    faults,
  };
}

/** Creates a scenario in which a process stalls during an attempt, while a second process attempts the same delivery and its successor. */
function createTakeover(schedule: Schedule): Omit<Scenario, "seed"> {
  return {
    processes: schedule.between(2, 3),
    organisations: 1,
    keys: 1,
    events: schedule.between(2, 5),
    spreadMs: schedule.pick([10, 1_000]),
    faults: { stallDuringAttempt: schedule.pick([0.1, 0.2]) },
  };
}

/** Creates a scenario with random faults, one of which is usually more frequent. */
function createRandomScenario(schedule: Schedule): Omit<Scenario, "seed"> {
  const share = schedule.pick([0, 0, 0.1, 0.2, 0.4]);
  const faults: Scenario["faults"] = {};
  for (const name of faultNames) if (schedule.chance(share)) faults[name] = faultRates[name];
  if (schedule.chance(0.8)) {
    const name = schedule.pick(faultNames);
    faults[name] = Math.min(0.9, faultRates[name] * schedule.pick([1, 2, 5]));
  }
  return {
    processes: schedule.pick([1, 2, 2, 3]),
    organisations: schedule.between(1, 2),
    keys: schedule.between(1, 3),
    events: schedule.between(1, 5),
    spreadMs: schedule.pick([10, 1_000, 6_000]),
    faults,
  };
}

/**
 * Shrinks a failing scenario to fewer faults, events, processes and keys. Each change also alters the random choices, so it is tried with
 * several seeds.
 *
 * @param fails runs a scenario and returns whether it fails
 */
export async function shrink(
  scenario: Scenario,
  fails: (scenario: Scenario) => Promise<boolean>,
  triesPerChange = 5,
): Promise<Scenario> {
  let shortest = scenario;
  let hasImproved = true;
  while (hasImproved) {
    hasImproved = false;
    for (const change of listSimplifications(shortest))
      for (let attempt = 0; attempt < triesPerChange; attempt += 1) {
        const candidate = { ...shortest, ...change, seed: (shortest.seed + attempt * 1_000_003) >>> 0 };
        if (!(await fails(candidate))) continue;
        shortest = candidate;
        hasImproved = true;
        break;
      }
  }
  return shortest;
}

/** Lists changes to a scenario, each of which makes it simpler. */
function listSimplifications({ faults, events, processes, organisations, keys }: Scenario): Partial<Scenario>[] {
  const removeFault = (removed: string) =>
    Object.fromEntries(Object.entries(faults).filter(([name]) => name !== removed));
  return [
    ...Object.keys(faults).map((name) => ({ faults: removeFault(name) })),
    ...(events > 1 ? [{ events: Math.ceil(events / 2) }, { events: events - 1 }] : []),
    ...(processes > 1 ? [{ processes: processes - 1 }] : []),
    ...(organisations > 1 ? [{ organisations: 1 }] : []),
    ...(keys > 1 ? [{ keys: 1 }] : []),
  ];
}
