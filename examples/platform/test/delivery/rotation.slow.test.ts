import type { RequestListener } from "node:http";
import { memoryDeduplication, type SignatureScheme, standardWebhooks, timestampDigest } from "@offers/webhook-kit";
import { webhookListener } from "@offers/webhook-kit/node";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { serve } from "../support/serve.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

const secretOf = (number: number): string => `whsec_${Buffer.alloc(24, number).toString("base64")}`;

/** Opens a receiver with several instances behind one URL, each with separate secrets. */
function openCluster(scheme: SignatureScheme, size: number) {
  const deduplication = memoryDeduplication();
  const received: string[] = [];
  const refused: string[] = [];
  const start = (secret: string[]): RequestListener =>
    webhookListener({
      secret,
      scheme,
      deduplication,
      onWorkerAddedContact: ({ workerId }) => void received.push(workerId),
      onRejected: ({ code }) => void refused.push(code),
    });
  const instances = Array.from({ length: size }, () => start([secretOf(0)]));
  // Choose the instance at random: with round-robin, alternating requests could reach the same instance every time.
  const listener: RequestListener = (request, response) =>
    instances[Math.floor(Math.random() * size)]?.(request, response);
  const restart = (index: number, secrets: string[]): void => {
    instances[index] = start(secrets);
  };
  /** Resolves once every instance has received more events. */
  const more = (): Promise<void> => {
    const enough = received.length + 3 * size;
    return eventually("more events arrive", () => received.length >= enough);
  };
  return { refused, listener, restart, more };
}

describe.each(await storesUnderTest())("a secret rotation under load on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let token: string;
  let workers: string[];
  beforeAll(async () => {
    token = await platform.signInPerson("hana@harbour-hotels.example");
    workers = await Promise.all(["worker_amal", "worker_ben", "worker_cleo"].map(platform.signInWorker));
  });

  test.each([
    ["timestampDigest", timestampDigest()],
    ["timestampDigestAndStandardWebhooks", standardWebhooks()],
  ])(
    "causes no verification failure with %s while instances change one by one",
    async (scheme, receiverScheme) => {
      const size = 4;
      const { refused, listener, restart, more } = openCluster(receiverScheme, size);
      const { baseAddress, close } = await serve(listener);
      const profile = { baseAddress, secret: secretOf(0), scheme, suggestsContacts: false };
      expect((await platform.call("PUT", "/portal/profile", { token, json: profile })).status).toBe(200);

      let over = false;
      let recorded = 0;
      const load = async (worker: string): Promise<void> => {
        while (!over) {
          const json = { organisationId: "org_harbour" };
          await platform.call("POST", "/worker-app/contacts", { token: worker, json });
          recorded += 1;
        }
      };
      const logged = platform.logLines.length;
      const loads = [...workers, ...workers].map(load);
      let refusedChecks = 0;
      for (let rotation = 1; rotation <= 4; rotation += 1) {
        const [old, fresh] = [secretOf(rotation - 1), secretOf(rotation)];
        const half = size / 2;
        for (let index = 0; index < half; index += 1) restart(index, [old, fresh]);
        const rotate = () => platform.call("POST", "/portal/profile/rotation", { token, json: { secret: fresh } });
        // The rotation is rejected while the check reaches an instance without the new secret.
        while ((await rotate()).status !== 200) refusedChecks += 1;
        await more();
        for (let index = half; index < size; index += 1) {
          restart(index, [fresh, old]);
          await more();
        }
        for (let index = 0; index < size; index += 1) restart(index, [fresh]);
      }
      over = true;
      await Promise.all(loads);
      const attempts = () =>
        platform.logLines
          .slice(logged)
          .map((line) => JSON.parse(line))
          .filter(({ msg }) => msg === "delivery.attempted");
      await eventually("every event is attempted", () => attempts().length >= recorded);
      await close();
      expect(new Set(attempts().map(({ number, status, outcome }) => `${number} ${status} ${outcome}`))).toEqual(
        new Set(["1 200 acknowledged"]),
      );
      expect(attempts()).toHaveLength(recorded);
      // Instances rejected signatures with the new secret, and got the same event again with the old one.
      if (scheme === "timestampDigest") expect(refused.length).toBeGreaterThan(refusedChecks);
      else expect(refused).toHaveLength(refusedChecks);
    },
    120_000,
  );
});
