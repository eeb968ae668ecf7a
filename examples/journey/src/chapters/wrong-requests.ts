import assert from "node:assert/strict";
import type { Stage } from "../stage.ts";

interface Problem {
  status: number;
  title: string;
  errors?: Record<string, string[]>;
}

const key = { "x-ue-api-subscription-key": "demo-key-harbour" };
const offer = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] };

/** Whoever speaks to the API without the client gets clear answers too. */
export async function wrongRequests({ narrator, stranger, statuses }: Stage): Promise<void> {
  narrator.chapter("Wrong requests");

  const refused = (title: string, expected: number, method: string, path: string, body?: unknown, headers = key) =>
    narrator.step(title, async () => {
      const answer = await stranger.call<Problem>(method, path, { body, headers });
      assert.equal(answer.status, expected);
      if (expected >= 400) assert.equal(answer.body.status, expected);
      return answer.body;
    });

  await refused("no API key: 401", 401, "POST", "/offer", offer, {} as typeof key);
  await refused("malformed JSON: 400", 400, "POST", "/offer?api-version=1.0", "{");
  const problem = await refused("two mistakes at once: 400", 400, "POST", "/offer?api-version=1.0", {
    ...offer,
    workerIds: [],
    events: [{ start: "2099-05-01T22:00:00Z", end: "2099-05-01T16:00:00Z" }],
  });
  await narrator.step("the answer names both fields", async () => {
    assert.deepEqual(Object.keys(problem.errors ?? {}).sort(), ["events[0].end", "workerIds"]);
  });
  const { notFound } = statuses;
  await refused(`an unknown offer id: ${notFound}`, notFound, "GET", "/offer/offer_unknown?api-version=1.0");
  await refused("complete without its api-version: 400", 400, "POST", "/offer/offer_unknown/complete", ["worker_amal"]);
}
