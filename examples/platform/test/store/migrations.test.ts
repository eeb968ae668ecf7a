import { describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { anyStore } from "../support/stores/stores.ts";

/** Returns the schema to the state before the migration that added optional events, which is that of the first release. */
const undoOptionalEvents = [
  "alter table endpoints drop column has_acknowledged_contact",
  "alter table deliveries drop constraint deliveries_state_check",
  "alter table deliveries add constraint deliveries_state_check check (state in ('pending', 'acknowledged', 'dead'))",
  "drop table rate_limits",
  "delete from kysely_migration where name > '002'",
];

describe.each(await anyStore())("the migrations on $title", ({ createDatabase }) => {
  test("an upgrade finds out from stored deliveries which base URLs have acknowledged a contact [D-152]", async () => {
    const database = await createDatabase();
    onTestFinished(() => database.remove());
    const before = await openStore(database.options);
    for (const statement of undoOptionalEvents) await before.execute(statement);
    const organisations = [
      ["acknowledged", "workerAddedContact", "acknowledged", "http://now.example"],
      ["purged", "workerAddedContact", "acknowledged", undefined],
      ["earlier-url", "workerAddedContact", "acknowledged", "http://earlier.example"],
      ["failed", "workerAddedContact", "dead", "http://now.example"],
      ["responses-only", "workerOfferResponse", "acknowledged", "http://now.example"],
    ] as const;
    for (const [id, type, state, baseAddress] of organisations) {
      const exchange = baseAddress && JSON.stringify({ baseAddress, sent: {} });
      await before.execute("insert into organisations (id, name, kind) values ($1, $1, 'hirer')", [id]);
      await before.execute(
        "insert into endpoints (organisation_id, base_address, encrypted_secret, suggests_contacts, updated_at) values ($1, 'http://now.example', '', false, now())",
        [id],
      );
      await before.execute("insert into events (id, organisation_id, type, data) values ($1, $1, $2, '{}')", [
        id,
        type,
      ]);
      await before.execute(
        "insert into deliveries (id, event_id, organisation_id, order_key, state) values ($1, $1, $1, $1, $2)",
        [id, state],
      );
      await before.execute(
        "insert into attempts (delivery_id, organisation_id, method, path, started_at, duration_ms, status, error, exchange) values ($1, $1, 'GET', '/', now(), 1, $2, $3, $4)",
        [id, state === "dead" ? 404 : 200, state === "dead" ? "not_acknowledged" : null, exchange ?? null],
      );
    }
    await before.close();
    const store = await openStore(database.options);
    onTestFinished(() => store.close());
    const { rows } = await store.execute(
      "select organisation_id as id from endpoints where has_acknowledged_contact order by 1",
    );
    expect(rows).toEqual([{ id: "acknowledged" }, { id: "purged" }]);
    await store.execute("update deliveries set state = 'not_implemented' where id = 'failed'");
  });
});
