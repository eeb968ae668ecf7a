import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPlaces } from "../../src/routes/portal/profile/places.ts";
import { readOrganisations } from "../../src/routes/worker-app/contacts.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";

/** The root order of the Unicode Collation Algorithm: https://www.unicode.org/charts/collation/ */
const sortedNames = [
  "Äpfel",
  "atrium",
  "bar",
  "Bar 2",
  "de la Cruz",
  "Delacruz",
  "Élan",
  "O'Brien",
  "O’Malley",
  "straße",
  "strata",
  "zebra",
  "Zoo",
  "ψ",
  "жук",
];

// Every store, because the default collation differs: PGlite compares bytes.
describe.each(await storesUnderTest())("names on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await createDatabase();
    store = await openStore(database.options);
    const rows = sortedNames.map((name, index) => ({ id: `id-${(index * 7) % sortedNames.length}`, name }));
    await store.db
      .insertInto("organisations")
      .values(rows.map((row) => ({ ...row, kind: "hirer" as const })))
      .execute();
    await store.db
      .insertInto("places")
      .values(rows.map((row) => ({ ...row, organisation_id: "id-0" })))
      .execute();
    await store.db
      .insertInto("workers")
      .values(rows.map((row) => ({ ...row, password_hash: "" })))
      .execute();
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const readNames = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

  test("places, organisations and workers have the same order on every store [D-158]", async () => {
    expect(readNames(await readPlaces({ store }, ["id-0"]))).toEqual(sortedNames);
    expect(readNames(await readOrganisations({ store }, { after: undefined, limit: 100 }))).toEqual(sortedNames);
    const workers = await store.db.selectFrom("workers").select("name").orderBy("name").execute();
    expect(readNames(workers)).toEqual(sortedNames);
  });

  test("a page of organisations continues after the last name on the previous page [D-158]", async () => {
    const pagedNames: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await readOrganisations({ store }, { after, limit: 4 });
      if (page.length === 0) break;
      pagedNames.push(...readNames(page));
      after = page.at(-1)?.id;
    }
    expect(pagedNames).toEqual(sortedNames);
  });
});
