// Creates the tables of this example: node examples/worker/src/migrate.ts
import { inboxMigration } from "@offers/webhook-kit/postgres";
import { openPool } from "./open-pool.ts";

const pool = openPool();
await pool.query(`
  ${inboxMigration()}
  CREATE TABLE responses (
    offer_id text NOT NULL,
    worker_id text NOT NULL,
    response text NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (offer_id, worker_id)
  );
  CREATE TABLE deleted_slots (offer_id text NOT NULL, worker_id text NOT NULL, event_start timestamptz NOT NULL);
  CREATE TABLE feed (platform text PRIMARY KEY, cursor text NOT NULL);
  CREATE TABLE duplicates (reason text PRIMARY KEY, count integer NOT NULL);
`);
await pool.end();
