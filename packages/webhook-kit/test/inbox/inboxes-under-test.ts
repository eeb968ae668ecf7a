import { driversUnderTest, type InboxUnderTest, type Options, onSqlite } from "./databases.ts";

const isFull = process.env.TEST_MATRIX === "full";

/** Returns one driver for each available database; in the full matrix (`npm test -- --full`), each library that an inbox supports too. */
export async function inboxesUnderTest(options: Options = {}): Promise<InboxUnderTest[]> {
  const drivers = await driversUnderTest(options);
  if (!isFull) return drivers;
  const { librariesUnderTest } = await import("./libraries.ts");
  return [...drivers, ...(await librariesUnderTest(options))];
}

/** Returns SQLite, for tests that do not depend on the database; in the full matrix, all databases. */
export const anyInbox = async (options: Options = {}): Promise<InboxUnderTest[]> =>
  isFull ? inboxesUnderTest(options) : [onSqlite(options)];
