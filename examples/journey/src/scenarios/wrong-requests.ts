import assert from "node:assert/strict";
import type { Context } from "../context.ts";

interface Problem {
  status: number;
  title: string;
  errors?: Record<string, string[]>;
}

const apiKeyHeaders = { "x-ue-api-subscription-key": "demo-key-harbour" };
const offer = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] };

/** Shows that the service responds to invalid requests with problem details. The requests are sent without the client. */
export async function showInvalidRequests({ reporter, anonymous, statuses }: Context): Promise<void> {
  reporter.scenario("Invalid requests");

  const sendAndExpectStatus = (
    title: string,
    expected: number,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = apiKeyHeaders,
  ) =>
    reporter.step(title, async () => {
      const response = await anonymous.call<Problem>(method, path, { body, headers });
      assert.equal(response.status, expected);
      if (expected >= 400) assert.equal(response.body.status, expected);
      return response.body;
    });

  await sendAndExpectStatus("no API key: 401", 401, "POST", "/offer", offer, {});
  await sendAndExpectStatus("malformed JSON: 400", 400, "POST", "/offer?api-version=1.0", "{");
  const problem = await sendAndExpectStatus(
    "a request with two invalid fields: 400",
    400,
    "POST",
    "/offer?api-version=1.0",
    {
      ...offer,
      workerIds: [],
      events: [{ start: "2099-05-01T22:00:00Z", end: "2099-05-01T16:00:00Z" }],
    },
  );
  await reporter.step("the problem details name both fields", async () => {
    assert.deepEqual(Object.keys(problem.errors ?? {}).sort(), ["events[0].end", "workerIds"]);
  });
  const { notFound } = statuses;
  await sendAndExpectStatus(
    `an unknown offer id: ${notFound}`,
    notFound,
    "GET",
    "/offer/offer_unknown?api-version=1.0",
  );
  await sendAndExpectStatus("a completion without api-version: 400", 400, "POST", "/offer/offer_unknown/complete", [
    "worker_amal",
  ]);
}
