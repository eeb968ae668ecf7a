import { expect, test } from "vitest";
import { openReceiver } from "../support/receiver.ts";
import { storesUnderTest } from "../support/stores/stores.ts";

test("an unreachable DATABASE_URL is an error and does not reduce the tests", async () => {
  const gone = await openReceiver();
  await gone.close();
  const databaseUrl = gone.baseAddress.replace("http:", "postgres:");
  await expect(storesUnderTest(databaseUrl)).rejects.toThrow("DATABASE_URL");
});
