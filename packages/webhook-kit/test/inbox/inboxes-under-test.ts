import { driversUnderTest, type InboxUnderTest, type Options, onSqlite } from "./databases.ts";

const isFull = process.env.TEST_MATRIX === "full";

/** One driver for each available database. In the full matrix (`npm test -- --full`), also each library that an inbox supports. */
export async function inboxesUnderTest(options: Options = {}): Promise<InboxUnderTest[]> {
  const drivers = await driversUnderTest(options);
  if (!isFull) return drivers;
  const { librariesUnderTest } = await import("./libraries.ts");
  return [...drivers, ...(await librariesUnderTest(options))];
}

/** SQLite, for tests that do not depend on the database. All in the full matrix. */
export const anyInbox = async (options: Options = {}): Promise<InboxUnderTest[]> =>
  isFull ? inboxesUnderTest(options) : [onSqlite(options)];
