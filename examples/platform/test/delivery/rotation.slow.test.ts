import type { RequestListener } from "node:http";
import { memoryDeduplication, type SignatureScheme, standardWebhooks, timestampDigest } from "@offers/webhook-kit";
import { webhookListener } from "@offers/webhook-kit/node";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { serve } from "../support/serve.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

const createSecret = (number: number): string => `whsec_${Buffer.alloc(24, number).toString("base64")}`;

/** Creates a receiver with several instances behind one URL, each with its own secrets. */
function createCluster(scheme: SignatureScheme, size: number) {
  const deduplication = memoryDeduplication();
  const received: string[] = [];
  const rejected: string[] = [];
  const createInstance = (secrets: string[]): RequestListener =>
    webhookListener({
      secret: secrets,
      scheme,
      deduplication,
      onWorkerAddedContact: ({ workerId }) => void received.push(workerId),
      onRejected: ({ code }) => void rejected.push(code),
    });
  const instances = Array.from({ length: size }, () => createInstance([createSecret(0)]));
  // Choose the instance at random, because alternating requests could reach the same instance every time with round-robin.
  const listener: RequestListener = (request, response) =>
    instances[Math.floor(Math.random() * size)]?.(request, response);
  const restart = (index: number, secrets: string[]): void => {
    instances[index] = createInstance(secrets);
  };
  /** Waits until enough events have arrived to reach every instance. */
  const waitForMoreEvents = (): Promise<void> => {
    const targetCount = received.length + 3 * size;
    return eventually("more events arrive", () => received.length >= targetCount);
  };
  return { rejected, listener, restart, waitForMoreEvents };
}

describe.each(await storesUnderTest())("a secret rotation under load on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let token: string;
  let workerTokens: string[];
  beforeAll(async () => {
    token = await platform.signInPerson("hana@harbour-hotels.example");
    workerTokens = await Promise.all(["worker_amal", "worker_ben", "worker_cleo"].map(platform.signInWorker));
  });

  test.each([
    ["timestampDigest", timestampDigest()],
    ["timestampDigestAndStandardWebhooks", standardWebhooks()],
  ])(
    "a secret rotation under load with %s causes no failed delivery while instances change one by one",
    async (scheme, receiverScheme) => {
      const size = 4;
      const rotationCount = 4;
      const { rejected, listener, restart, waitForMoreEvents } = createCluster(receiverScheme, size);
      const { baseAddress, close } = await serve(listener);
      const profile = { baseAddress, secret: createSecret(0), scheme, suggestsContacts: false };
      expect((await platform.call("PUT", "/portal/profile", { token, json: profile })).status).toBe(200);

      let hasEnded = false;
      let recordedCount = 0;
      const addContacts = async (workerToken: string): Promise<void> => {
        while (!hasEnded) {
          const json = { organisationId: "org_harbour" };
          await platform.call("POST", "/worker-app/contacts", { token: workerToken, json });
          recordedCount += 1;
        }
      };
      const linesBefore = platform.logLines.length;
      const loops = [...workerTokens, ...workerTokens].map(addContacts);
      let rejectedCheckCount = 0;
      for (let rotation = 1; rotation <= rotationCount; rotation += 1) {
        const [oldSecret, newSecret] = [createSecret(rotation - 1), createSecret(rotation)];
        const half = size / 2;
        for (let index = 0; index < half; index += 1) restart(index, [oldSecret, newSecret]);
        const rotate = () => platform.call("POST", "/portal/profile/rotation", { token, json: { secret: newSecret } });
        // The rotation is rejected while its check can reach an instance without the new secret.
        while ((await rotate()).status !== 200) rejectedCheckCount += 1;
        await waitForMoreEvents();
        for (let index = half; index < size; index += 1) {
          restart(index, [newSecret, oldSecret]);
          await waitForMoreEvents();
        }
        for (let index = 0; index < size; index += 1) restart(index, [newSecret]);
      }
      hasEnded = true;
      await Promise.all(loops);
      const readLoggedAttempts = () =>
        platform.logLines
          .slice(linesBefore)
          .map((line) => JSON.parse(line))
          .filter(({ msg }) => msg === "delivery.attempted");
      await eventually("every event is attempted", () => readLoggedAttempts().length >= recordedCount);
      await close();
      expect(
        new Set(readLoggedAttempts().map(({ number, status, outcome }) => `${number} ${status} ${outcome}`)),
      ).toEqual(new Set(["1 200 acknowledged"]));
      expect(readLoggedAttempts()).toHaveLength(recordedCount);
      // A check that passes is followed by a forged request: when the profile was saved, and in each rotation.
      const expectedRejectionCount = rejectedCheckCount + 1 + rotationCount;
      // Instances rejected signatures with the new secret, and got the same event again with the old secret.
      if (scheme === "timestampDigest") expect(rejected.length).toBeGreaterThan(expectedRejectionCount);
      else expect(rejected).toHaveLength(expectedRejectionCount);
    },
    120_000,
  );
});
