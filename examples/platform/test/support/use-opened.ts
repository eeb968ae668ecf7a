import { afterAll, beforeAll } from "vitest";
import type { Passwords } from "../../src/accounts/passwords.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { type DeliveryFixture, openDeliveryFixture } from "./delivery-fixture.ts";
import { openPlatform, type PlatformUnderTest } from "./platform-under-test.ts";
import { openReceiver, type Receiver, type Respond } from "./receiver.ts";
import { anyStore, type StoreUnderTest, type TestDatabase } from "./stores/stores.ts";

type CreateDatabase = StoreUnderTest["createDatabase"];

/**
 * Opens an object before the tests of a describe block or file, and closes it after the tests. Several objects are closed in reverse order.
 *
 * @returns a proxy for the object. The proxy throws if it is read before `beforeAll` has opened the object
 */
function useOpened<T extends object>(open: () => Promise<T>, close: (opened: T) => unknown): T {
  let opened: T | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    if (opened !== undefined) await close(opened);
  });
  return new Proxy({} as T, {
    get(_, name) {
      if (opened === undefined) throw new Error(`${String(name)} was read before beforeAll opened the object`);
      return Reflect.get(opened, name);
    },
    set(_, name, value) {
      return opened !== undefined && Reflect.set(opened, name, value);
    },
  });
}

/** Creates a database for the tests of a describe block or file, by default on any store. */
export const useDatabase = (createDatabase: CreateDatabase = createAnyDatabase): TestDatabase =>
  useOpened(createDatabase, (database) => database.remove());

async function createAnyDatabase(): Promise<TestDatabase> {
  const [store] = await anyStore();
  return store.createDatabase();
}

interface DatabaseOptions {
  /** Creates the database unless `database` is set. @default creates a database on any store */
  createDatabase?: CreateDatabase;
  /** A database that the test also uses directly. @default a new database */
  database?: TestDatabase;
}

const chooseDatabase = ({ createDatabase, database }: DatabaseOptions): TestDatabase =>
  database ?? useDatabase(createDatabase);

interface PlatformOptions extends DatabaseOptions {
  settings?: Partial<Settings>;
  now?: () => Date;
  /** @default hashes at a low cost */
  passwords?: Passwords;
}

/** Opens the whole platform, by default on a new database. */
export function usePlatform({ settings, now, passwords, ...options }: PlatformOptions = {}): PlatformUnderTest {
  const database = chooseDatabase(options);
  return useOpened(
    () => openPlatform(database, settings, now, passwords),
    (platform) => platform.close(),
  );
}

/**
 * Creates a page client and signs it in.
 *
 * @param accountName a user's email address or, with `/app/sign-in`, a worker's id
 */
export const usePageClient = (platform: PlatformUnderTest, accountName: string, signInPath?: string): PageClient =>
  useOpened(
    async () => {
      const client = openPageClient(platform.address, signInPath);
      await client.signIn(accountName);
      return client;
    },
    // A page client has nothing to close.
    () => undefined,
  );

/** Opens the store, leases and deliveries of one process, on a new database. */
export function useDeliveryFixture(createDatabase?: CreateDatabase): DeliveryFixture {
  const database = useDatabase(createDatabase);
  return useOpened(
    () => openDeliveryFixture(database),
    (fixture) => fixture.close(),
  );
}

/** Opens only a store, by default on a new database. */
export function useStore(options: DatabaseOptions = {}): Store {
  const database = chooseDatabase(options);
  return useOpened(
    () => openStore(database.options),
    (store) => store.close(),
  );
}

/** Opens a receiver. @param respond decides its responses. @default responds with 200 */
export const useReceiver = (respond?: Respond): Receiver =>
  useOpened(
    () => openReceiver(respond),
    (receiver) => receiver.close(),
  );
