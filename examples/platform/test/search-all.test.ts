import { describe, expect, test } from "vitest";
import type { Outbound } from "../src/outbound/outbound.ts";
import { searchAll } from "../src/suggestions/search-all.ts";
import { addOrganisation, type LowerHalf, openLowerHalf, testSealKey } from "./lower-half.ts";
import { storesUnderTest } from "./stores.ts";

const answered = { ok: true, status: 200, body: Buffer.from("[]"), truncated: false, durationMs: 1 } as const;

describe.each(await storesUnderTest())("a suggestion search on $title", ({ createPlace }) => {
  async function withLowerHalf(work: (half: LowerHalf) => Promise<void>): Promise<void> {
    const place = await createPlace();
    const half = await openLowerHalf(place);
    await work(half).finally(() => half.close());
    await place.remove();
  }
  const search = ({ store, errors }: LowerHalf, send: Outbound["send"]) => {
    const outbound = { send, close: async () => undefined };
    const onError = (error: unknown) => void errors.push(error);
    const deps = { store, outbound, sign: () => ({}), sealKey: testSealKey, now: () => new Date(), onError };
    return searchAll(deps, { userEmailAddresses: ["hana@example.com"] });
  };
  const implementAll = ({ store }: LowerHalf) =>
    store.db.updateTable("endpoints").set({ suggests_contacts: true }).execute();

  test("an organisation whose secret is lost, or whose call breaks on our side, fails alone", () =>
    withLowerHalf(async (half) => {
      const lost = await addOrganisation(half.store, "https://lost.example");
      const broken = await addOrganisation(half.store, "https://broken.example");
      const well = await addOrganisation(half.store, "https://well.example");
      await implementAll(half);
      const sealedElsewhere = { sealed_secret: "x" };
      await half.store.db.updateTable("endpoints").set(sealedElsewhere).where("organisation_id", "=", lost).execute();
      const results = await search(half, async ({ baseAddress }) => {
        if (baseAddress === "https://broken.example") throw new Error("s3cret bug");
        return answered;
      });
      const failure = { code: "internal_error", status: null, message: expect.stringContaining("our side") };
      expect(new Map(results.map(({ organisation, ...result }) => [organisation.id, result]))).toEqual(
        new Map<string, object>([
          [lost, { failure }],
          [broken, { failure }],
          [well, { suggestions: [] }],
        ]),
      );
      expect(half.errors).toHaveLength(2);
    }));

  test("asks 32 at once, and all of them in the end", () =>
    withLowerHalf(async (half) => {
      for (let count = 0; count < 40; count += 1) await addOrganisation(half.store, "https://well.example");
      await implementAll(half);
      let open = 0;
      let most = 0;
      const results = await search(half, async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, 20));
        open -= 1;
        return answered;
      });
      expect([most, results.length, new Set(results.map(({ organisation }) => organisation.id)).size]).toEqual([
        32, 40, 40,
      ]);
    }));
});
