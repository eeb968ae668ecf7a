import pg from "pg";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import type { Store } from "../../examples/platform/src/store/store.ts";
import { createDatabase } from "../../scripts/test-database.ts";
import { Interleaving, interceptStatements } from "./interleaving.ts";

/** The number of stores to open: enough for every actor and process of the largest scenario. */
const storeCount = 7;
/** The settings of each connection. PostgreSQL reports a deadlock, which is a violation, soon. Commits need not survive a crash. */
const settings = "-c deadlock_timeout=20ms -c synchronous_commit=off";

/** A separate PostgreSQL database, with a connection pool for each process of a scenario. */
export class Postgres {
  readonly stores: readonly Store[];
  readonly monitor: pg.Client;
  readonly #drop: () => Promise<void>;

  private constructor(stores: readonly Store[], monitor: pg.Client, drop: () => Promise<void>) {
    this.stores = stores;
    this.monitor = monitor;
    this.#drop = drop;
  }

  static async open(): Promise<Postgres> {
    const { url, drop } = await createDatabase();
    const databaseUrl = `${url}?options=${encodeURIComponent(settings)}`;
    const stores: Store[] = [];
    for (let index = 0; index < storeCount; index += 1)
      stores.push(await openStore({ dataFolder: "unused", databaseUrl, transactionLimitMs: 600_000 }));
    const monitor = new pg.Client(databaseUrl);
    await monitor.connect();
    interceptStatements();
    return new Postgres(stores, monitor, drop);
  }

  async close(): Promise<void> {
    for (const store of this.stores) await store.close();
    await this.monitor.end();
    await this.#drop();
  }
}

/** Prepares the database for one scenario, and checks the result. */
export class Fixture {
  readonly interleaving: Interleaving;
  readonly #postgres: Postgres;
  #stores: Store[];

  private constructor(postgres: Postgres, interleaving: Interleaving) {
    this.#postgres = postgres;
    this.#stores = [...postgres.stores];
    this.interleaving = interleaving;
  }

  /** Empties the tables, and inserts one organisation with its endpoint, and three workers. */
  static async prepare(postgres: Postgres, seed: number): Promise<Fixture> {
    const fixture = new Fixture(postgres, new Interleaving(seed, postgres.monitor));
    await fixture.query(`
      delete from outbox_wakeups; delete from outbox_leases; delete from outbox_processes; delete from attempts;
      delete from deliveries; delete from events; delete from event_feeds; delete from notifications;
      delete from notification_feeds; delete from recipients; delete from offers; delete from devices; delete from workers;
      delete from mails; delete from endpoints; delete from organisations;
      insert into organisations (id, name, kind) values ('organisation-1', 'organisation-1', 'hirer');
      insert into endpoints (organisation_id, base_address, encrypted_secret, suggests_contacts, updated_at)
      values ('organisation-1', 'http://receiver', 'unused', false, now());
      insert into workers (id, name, password_hash) select 'worker-' || n, 'Worker ' || n, '' from generate_series(1, 3) as n;
    `);
    return fixture;
  }

  /** Returns a store that no other process uses. */
  takeStore(): Store {
    const store = this.#stores.shift();
    if (store === undefined) throw new Error("the scenario needs more stores than were opened");
    return store;
  }

  async query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return (await this.#postgres.monitor.query<Row>(text)).rows;
  }

  /** Records a violation if the query returns any rows. */
  async expectNoRows(violation: string, query: string): Promise<void> {
    if ((await this.query(query)).length > 0) this.interleaving.violations.push(violation);
  }
}
