import { describe, expect, test } from "vitest";
import { searchAll } from "../../src/accounts/contact-suggestions.ts";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";
import type { EndpointClient } from "../../src/endpoint-client/endpoint-client.ts";
import {
  addOrganisation,
  type DeliveryFixture,
  openDeliveryFixture,
  testEncryptionKey,
} from "../support/delivery-fixture.ts";
import { openReceiver } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";

const okResult = { ok: true, status: 200, body: Buffer.from("[]"), truncated: false, durationMs: 1 } as const;

describe.each(await anyStore())("suggestion searches on $title", ({ createDatabase }) => {
  /** Runs `work` with a delivery fixture on a new database, and removes both afterwards. */
  async function withDeliveryFixture(work: (fixture: DeliveryFixture) => Promise<void>): Promise<void> {
    const database = await createDatabase();
    const fixture = await openDeliveryFixture(database);
    await work(fixture).finally(() => fixture.close());
    await database.remove();
  }
  /** Searches the organisations, by default all of them. */
  const search = async (
    fixture: DeliveryFixture,
    send: EndpointClient["send"],
    options: { timeoutMs?: number; organisationIds?: string[] } = {},
  ) => {
    const { store, errors } = fixture;
    const endpointClient = { send, close: async () => undefined };
    const onError = (error: unknown) => void errors.push(error);
    const deps = {
      store,
      endpointClient,
      sign: () => ({}),
      encryptionKey: testEncryptionKey,
      now: () => new Date(),
      onError,
    };
    return searchAll(deps, {
      organisationIds: await readOrganisationIds(fixture),
      userEmailAddresses: ["hana@example.com"],
      ...options,
    });
  };
  /** Makes all organisations implement suggestions. */
  const implementAll = ({ store }: DeliveryFixture) =>
    store.db.updateTable("endpoints").set({ suggests_contacts: true }).execute();
  const readOrganisationIds = async ({ store }: DeliveryFixture): Promise<string[]> =>
    (await store.db.selectFrom("organisations").select("id").execute()).map(({ id }) => id);

  test("a lost secret or an internal error fails a search only for that organisation", () =>
    withDeliveryFixture(async (fixture) => {
      const lostSecretId = await addOrganisation(fixture.store, "https://lost.example");
      const brokenId = await addOrganisation(fixture.store, "https://broken.example");
      const healthyId = await addOrganisation(fixture.store, "https://well.example");
      await implementAll(fixture);
      await fixture.store.db
        .updateTable("endpoints")
        .set({ encrypted_secret: "not decryptable" })
        .where("organisation_id", "=", lostSecretId)
        .execute();
      const results = await search(fixture, async ({ baseAddress }) => {
        if (baseAddress === "https://broken.example") throw new Error("s3cret bug");
        return okResult;
      });
      const failure = { code: "internal_error", status: null, message: expect.stringContaining("our side") };
      expect(new Map(results.map(({ organisation, ...result }) => [organisation.id, result]))).toEqual(
        new Map<string, object>([
          [lostSecretId, { failure }],
          [brokenId, { failure }],
          [healthyId, { suggestions: [] }],
        ]),
      );
      expect(fixture.errors).toHaveLength(2);
    }));

  test("a search sends one request to each selected organisation that implements suggestions, and to no other organisation", () =>
    withDeliveryFixture(async (fixture) => {
      const ids = [];
      for (let count = 0; count < 4; count += 1)
        ids.push(await addOrganisation(fixture.store, `https://number-${count}.example`));
      await implementAll(fixture);
      const switchOff = fixture.store.db.updateTable("endpoints").set({ suggests_contacts: false });
      await switchOff.where("organisation_id", "=", ids[1] ?? "").execute();
      const requestedAddresses: string[] = [];
      const send: EndpointClient["send"] = async ({ baseAddress }) => {
        requestedAddresses.push(baseAddress);
        return okResult;
      };
      const organisationIds = [ids[0], ids[1], ids[3], ids[0], "nowhere"].map(String);
      const results = await search(fixture, send, { organisationIds });
      expect(requestedAddresses.toSorted()).toEqual(["https://number-0.example", "https://number-3.example"]);
      expect(results.map(({ organisation }) => organisation.id).toSorted()).toEqual([ids[0], ids[3]].toSorted());
    }));

  test("a search sends a request to every organisation, 32 in parallel", () =>
    withDeliveryFixture(async (fixture) => {
      for (let count = 0; count < 40; count += 1) await addOrganisation(fixture.store, "https://well.example");
      await implementAll(fixture);
      let inFlight = 0;
      let maxInFlight = 0;
      const results = await search(fixture, async () => {
        inFlight += 1;
        maxInFlight = Math.max(maxInFlight, inFlight);
        await new Promise((resolve) => setTimeout(resolve, 20));
        inFlight -= 1;
        return okResult;
      });
      expect([maxInFlight, results.length, new Set(results.map(({ organisation }) => organisation.id)).size]).toEqual([
        32, 40, 40,
      ]);
    }));

  test("a search takes only one timeout, even if many endpoints are silent [D-25]", () =>
    withDeliveryFixture(async (fixture) => {
      const silent = await openReceiver(() => undefined);
      const endpointClient = createEndpointClient({ allowLoopback: true });
      for (let count = 0; count < 40; count += 1) await addOrganisation(fixture.store, silent.baseAddress);
      await implementAll(fixture);
      const results = await search(fixture, endpointClient.send, { timeoutMs: 1_000 });
      // The first 32 use up the time limit, so the other organisations are not called.
      expect(silent.requests.length).toBeLessThanOrEqual(32);
      expect(results.map((result) => "failure" in result && result.failure.code)).toEqual(Array(40).fill("timeout"));
      await endpointClient.close();
      await silent.close();
    }));

  test("organisations that a search calls later get only the remaining time", () =>
    withDeliveryFixture(async (fixture) => {
      for (let count = 0; count < 40; count += 1) await addOrganisation(fixture.store, "https://well.example");
      await implementAll(fixture);
      const timeouts: number[] = [];
      await search(fixture, async ({ timeoutMs }) => {
        timeouts.push(timeoutMs);
        await new Promise((resolve) => setTimeout(resolve, 300));
        return okResult;
      });
      expect(Math.max(...timeouts)).toBeLessThanOrEqual(5_000);
      expect(Math.max(...timeouts.slice(32))).toBeLessThan(4_750);
      expect(timeouts).toHaveLength(40);
    }));
});
