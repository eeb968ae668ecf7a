import { expect, test } from "vitest";
import { openReceiver } from "../support/receiver.ts";
import { storesUnderTest } from "../support/stores/stores.ts";

test("an unreachable DATABASE_URL makes the test run fail instead of skipping PostgreSQL", async () => {
  const closedReceiver = await openReceiver();
  await closedReceiver.close();
  const databaseUrl = closedReceiver.baseAddress.replace("http:", "postgres:");
  await expect(storesUnderTest(databaseUrl)).rejects.toThrow("DATABASE_URL");
});
