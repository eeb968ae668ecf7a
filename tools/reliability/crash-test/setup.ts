import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../examples/platform/src/store/open-store.ts";
import type { Store } from "../../../examples/platform/src/store/store.ts";
import { listen } from "../../processes/listen.ts";
import { type Accounts, makeAccounts, seedOf, signIn } from "./accounts.ts";
import { type DataLocation, openDataLocation, type StoreName } from "./data-location.ts";
import { Fleet } from "./fleet.ts";
import { mutateTraffic, type TrafficMutation } from "./inject/mutate-traffic.ts";
import type { PlatformBug } from "./inject/platform-bug.ts";
import { type Load, startLoad } from "./load.ts";
import { PlatformClient } from "./platform-client.ts";
import { Receiver } from "./receiver.ts";
import { keepLeaseHistory } from "./verify/lease-history.ts";

export interface CrashTestOptions {
  store: StoreName;
  /** How often a process of the platform is killed. */
  kills: number;
  /** How often the database is restarted as after a crash. */
  restarts: number;
  /** How often a process is stopped for longer than its lease. */
  stalls: number;
  /** After so many seconds a process is killed or asked to end, and another one starts; again and again. 0 for never. */
  turnoverSeconds: number;
  processes: number;
  /** The least duration of the load. */
  seconds: number;
  /** Changes a second. */
  rate: number;
  /** The most time for what is left when all failures are over. */
  drainSeconds: number;
  /** Injected between the platform and the receiver. */
  trafficMutations: readonly TrafficMutation[];
  platformBugs: readonly PlatformBug[];
  onProgress: (line: string) => void;
  /** Ends the run at once. */
  signal: AbortSignal;
}

/** Ends or removes one thing. */
export type Closer = () => Promise<unknown>;

/** Everything that takes part in a run, at work. */
export interface Setup {
  location: DataLocation;
  receiver: Receiver;
  fleet: Fleet;
  load: Load;
  /** Unexpected responses of the platform. */
  wrongResponses: string[];
}

const organisations = 12;
const quietOrganisations = 8;
const workers = 16;
const loadWithBug = join(import.meta.dirname, "inject/load-with-bug.ts");
/** Retries come soon, so that the drain measures the platform and not its schedule; enough that no delivery fails. */
const retrySchedule = ["200ms", "500ms", ...Array.from({ length: 38 }, () => "1s")].join();
const maxWrongResponses = 20;

/** @param closers gets what ends it all, in the order in which it was begun, also when it fails half way */
export async function setup(options: CrashTestOptions, closers: Closer[]): Promise<Setup> {
  const location = await openDataLocation(options.store, options.restarts > 0);
  closers.push(location.remove);
  await withStore(location, keepLeaseHistory);
  const accounts = makeAccounts(organisations, quietOrganisations, workers);
  const receiver = new Receiver(accounts.organisations, options.trafficMutations.length === 0);
  let { address, close } = await listen(receiver.listener);
  closers.push(close);
  if (options.trafficMutations.length > 0) {
    ({ address, close } = await listen(mutateTraffic(address, options.trafficMutations)));
    closers.push(close);
  }

  const environment = {
    DATABASE_URL: location.options.databaseUrl ?? "",
    OFFERS_DATA: location.options.dataFolder,
    OFFERS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    OFFERS_SEED: await writeSeed(accounts, closers),
    OFFERS_ALLOW_LOOPBACK: "1",
    OFFERS_RATE_LIMIT: "off",
    OFFERS_PERSON_RATE_LIMIT: "off",
    OFFERS_RETRY_SCHEDULE: retrySchedule,
    CRASH_TEST_BUGS: options.platformBugs.join(),
  };
  const imports = options.platformBugs.length > 0 ? [loadWithBug] : [];
  const fleet = new Fleet({ environment, imports, onInterruption: () => receiver.disown() });
  closers.push(() => fleet.destroy());
  await fleet.start(options.processes);

  const wrongResponses: string[] = [];
  const client = new PlatformClient(
    () => fleet.addresses,
    (fault) => void (wrongResponses.length < maxWrongResponses && wrongResponses.push(fault)),
  );
  const tokens = await signIn(client, accounts, address, options.signal);
  const load = startLoad({ client, accounts, tokens, rate: options.rate });
  closers.push(() => load.stop(AbortSignal.abort()));
  return { location, receiver, fleet, load, wrongResponses };
}

/** Opens the run's store beside the platform, or on PGlite before and after it. */
export async function withStore<T>({ options }: DataLocation, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function writeSeed(accounts: Accounts, closers: Closer[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "offers-crash-test-"));
  closers.push(() => rm(folder, { recursive: true }));
  const file = join(folder, "seed.json");
  await writeFile(file, JSON.stringify(seedOf(accounts)));
  return file;
}
