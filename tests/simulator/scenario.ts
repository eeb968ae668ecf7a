import { Schedule } from "./schedule.ts";

/**
 * The possible faults, each with its probability: per step of a process, per statement, per request, or per action of a
 * user.
 */
export const faultRates = {
  /** Per step of a platform process. */
  kill: 0.002,
  stop: 0.001,
  stall: 0.002,
  /**
   * Per step of a process from a claim to the outcome of its attempt. There are few such steps, and leases exist for stalls during them.
   */
  stallDuringAttempt: 0.04,
  /** Per step of the receiver. */
  receiverKill: 0.01,
  receiverStall: 0.01,
  /** Per step of any process: its wall clock jumps by up to an hour, the database's by up to ten seconds. */
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

/** Everything that decides what happens. */
export interface Scenario {
  seed: number;
  processes: number;
  organisations: number;
  /** Order keys of each organisation. */
  keys: number;
  events: number;
  /** The period in which the events are recorded. */
  spreadMs: number;
  faults: Partial<Record<FaultName, number>>;
}

/**
 * The scenario of a seed. Most have one frequent kind of fault and few others: the more kinds, the more the checker has to excuse. An eighth
 * each are bursts, takeovers and outages: few of the others need a guard against these.
 */
export function scenarioOf(seed: number): Scenario {
  const schedule = new Schedule(seed ^ 0x5bd1e995);
  const kind = schedule.pick([burst, takeover, outage, any, any, any, any, any]);
  return { seed, ...kind(schedule) };
}

/**
 * There are more simultaneous deliveries than an endpoint's capacity, which shows only while attempts last. The receiver restarts: it also
 * keeps handled events in memory, so only then does it need its inbox.
 */
function burst(schedule: Schedule): Omit<Scenario, "seed"> {
  const { processes, faults } = any(schedule);
  const common = { slow: 0.9, receiverKill: 0.04 };
  return { processes, organisations: 1, keys: 50, events: 12, spreadMs: 50, faults: { ...common, ...faults } };
}

/** An endpoint fails until the retry schedule has long delays, and a user restarts the schedule. */
function outage(schedule: Schedule): Omit<Scenario, "seed"> {
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

/** A process stalls during an attempt. Another one attempts the delivery and the next one of its order key before the first continues. */
function takeover(schedule: Schedule): Omit<Scenario, "seed"> {
  return {
    processes: schedule.between(2, 3),
    organisations: 1,
    keys: 1,
    events: schedule.between(2, 5),
    spreadMs: schedule.pick([10, 1_000]),
    faults: { stallDuringAttempt: schedule.pick([0.1, 0.2]) },
  };
}

function any(schedule: Schedule): Omit<Scenario, "seed"> {
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
 * Shrinks a failing scenario: fewer kinds of faults, events, processes and keys. Each change makes other things happen, so a few seeds are
 * tried for each.
 *
 * @param fails runs a scenario
 */
export async function shorten(
  scenario: Scenario,
  fails: (scenario: Scenario) => Promise<boolean>,
  triesPerChange = 5,
): Promise<Scenario> {
  let shortest = scenario;
  for (let improved = true; improved; ) {
    improved = false;
    for (const change of changesOf(shortest))
      for (let attempt = 0; attempt < triesPerChange; attempt += 1) {
        const candidate = { ...shortest, ...change, seed: (shortest.seed + attempt * 1_000_003) >>> 0 };
        if (!(await fails(candidate))) continue;
        shortest = candidate;
        improved = true;
        break;
      }
  }
  return shortest;
}

function changesOf({ faults, events, processes, organisations, keys }: Scenario): Partial<Scenario>[] {
  const without = (name: string) => Object.fromEntries(Object.entries(faults).filter(([other]) => other !== name));
  return [
    ...Object.keys(faults).map((name) => ({ faults: without(name) })),
    ...(events > 1 ? [{ events: Math.ceil(events / 2) }, { events: events - 1 }] : []),
    ...(processes > 1 ? [{ processes: processes - 1 }] : []),
    ...(organisations > 1 ? [{ organisations: 1 }] : []),
    ...(keys > 1 ? [{ keys: 1 }] : []),
  ];
}
