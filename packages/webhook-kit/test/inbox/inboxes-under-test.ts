import { driversUnderTest, type InboxUnderTest, inboxOnSqlite, type Options } from "./databases.ts";

const isFull = process.env.TEST_MATRIX === "full";

/** Returns an inbox on each available database. In the full matrix (`npm test -- --full`), adds one for every other supported library. */
export async function inboxesUnderTest(options: Options = {}): Promise<InboxUnderTest[]> {
  const drivers = await driversUnderTest(options);
  if (!isFull) return drivers;
  const { librariesUnderTest } = await import("./libraries.ts");
  return [...drivers, ...(await librariesUnderTest(options))];
}

/** Returns an inbox on SQLite for tests that do not depend on the database. In the full matrix, returns all inboxes. */
export const sampleInboxes = async (options: Options = {}): Promise<InboxUnderTest[]> =>
  isFull ? inboxesUnderTest(options) : [inboxOnSqlite(options)];
