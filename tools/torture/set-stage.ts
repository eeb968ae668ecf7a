import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import type { Store } from "../../examples/platform/src/store/store.ts";
import { type Cast, makeCast, seedOf } from "./cast.ts";
import { enter } from "./enter.ts";
import { Fleet } from "./fleet.ts";
import { keepLeaseHistory } from "./lease-history.ts";
import { type Load, startLoad } from "./load.ts";
import { openPlace, type Place } from "./place.ts";
import { PlatformDoor } from "./platform-door.ts";
import { startSaboteur } from "./sabotage.ts";
import { type ReceiverProcess, startReceiver } from "./start-receiver.ts";
import type { TortureOptions } from "./torture.ts";

/** Ends or removes one thing. */
export type Closer = () => Promise<unknown>;

/** Everything that takes part in a run, at work. */
export interface Stage {
  place: Place;
  receiver: ReceiverProcess;
  fleet: Fleet;
  load: Load;
  /** Answers of the platform that there must not be, in words. */
  wrongAnswers: string[];
}

const organisations = 12;
const quietOrganisations = 8;
const workers = 16;
const loadSabotaged = join(import.meta.dirname, "load-sabotaged.ts");
/** Retries come soon, so that the drain tells of the platform and not of its schedule; enough that none is given up. */
const retrySchedule = ["200ms", "500ms", ...Array.from({ length: 38 }, () => "1s")].join();
const maxWrongAnswers = 20;

/** @param closers gets what ends it all, in the order in which it was begun, also when it fails half way */
export async function setStage(options: TortureOptions, closers: Closer[]): Promise<Stage> {
  const place = await openPlace(options.store, options.restarts > 0);
  closers.push(place.remove);
  await withStore(place, keepLeaseHistory);
  const cast = makeCast(organisations, quietOrganisations, workers);
  const receiver = await startReceiver(cast.organisations, options.sabotages.length === 0);
  closers.push(receiver.stop);
  const baseAddress = await inFrontOf(receiver.address, options, closers);

  const environment = {
    DATABASE_URL: place.options.databaseUrl ?? "",
    OFFERS_DATA: place.options.dataFolder,
    OFFERS_SEAL_KEY: randomBytes(32).toString("base64"),
    OFFERS_SEED: await writeSeed(cast, closers),
    OFFERS_ALLOW_LOOPBACK: "1",
    OFFERS_RATE_LIMIT: "off",
    OFFERS_PERSON_RATE_LIMIT: "off",
    OFFERS_RETRY_SCHEDULE: retrySchedule,
    TORTURE_SABOTAGE: options.platformSabotages.join(),
  };
  const imports = options.platformSabotages.length > 0 ? [loadSabotaged] : [];
  const fleet = new Fleet({ environment, imports, onBlow: receiver.disown });
  closers.push(() => fleet.destroy());
  await fleet.start(options.processes);

  const wrongAnswers: string[] = [];
  const door = new PlatformDoor({
    addresses: () => fleet.addresses,
    onFault: (fault) => void (wrongAnswers.length < maxWrongAnswers && wrongAnswers.push(fault)),
  });
  const tokens = await enter(door, cast, baseAddress, options.signal);
  const load = startLoad({ door, cast, tokens, rate: options.rate });
  closers.push(() => load.stop(AbortSignal.abort()));
  return { place, receiver, fleet, load, wrongAnswers };
}

/** Opens the run's store beside the platform, or on PGlite before and after it. */
export async function withStore<T>({ options }: Place, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The receiver's own address, or that of the saboteur in front of it. */
async function inFrontOf(receiver: string, { sabotages }: TortureOptions, closers: Closer[]): Promise<string> {
  if (sabotages.length === 0) return receiver;
  const saboteur = await startSaboteur(receiver, sabotages);
  closers.push(saboteur.close);
  return saboteur.address;
}

async function writeSeed(cast: Cast, closers: Closer[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "offers-torture-"));
  closers.push(() => rm(folder, { recursive: true }));
  const file = join(folder, "seed.json");
  await writeFile(file, JSON.stringify(seedOf(cast)));
  return file;
}
