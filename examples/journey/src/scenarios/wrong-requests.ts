import assert from "node:assert/strict";
import type { Context } from "../context.ts";

interface Problem {
  status: number;
  title: string;
  errors?: Record<string, string[]>;
}

interface InvalidRequest {
  /** @default POST */
  method?: "GET" | "POST";
  path: string;
  body?: unknown;
  /** @default a valid API key */
  headers?: Record<string, string>;
}

const apiKeyHeaders = { "x-ue-api-subscription-key": "demo-key-harbour" };
const offer = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] };

/** Shows that the service responds to invalid requests with problem details. The requests are sent without the client. */
export async function showInvalidRequests({ reporter, anonymous, statuses }: Context): Promise<void> {
  reporter.scenario("Invalid requests");

  const sendAndExpectStatus = (
    status: number,
    title: string,
    { method = "POST", path, body, headers = apiKeyHeaders }: InvalidRequest,
  ) =>
    reporter.step(`${title}: ${status}`, async () => {
      const response = await anonymous.call<Problem>(method, path, { body, headers });
      assert.equal(response.status, status);
      if (status >= 400) assert.equal(response.body.status, status);
      return response.body;
    });

  await sendAndExpectStatus(401, "no API key", { path: "/offer", body: offer, headers: {} });
  await sendAndExpectStatus(400, "malformed JSON", { path: "/offer?api-version=1.0", body: "{" });
  const problem = await sendAndExpectStatus(400, "a request with two invalid fields", {
    path: "/offer?api-version=1.0",
    body: {
      ...offer,
      workerIds: [],
      events: [{ start: "2099-05-01T22:00:00Z", end: "2099-05-01T16:00:00Z" }],
    },
  });
  await reporter.step("the problem details name both fields", async () => {
    assert.deepEqual(Object.keys(problem.errors ?? {}).sort(), ["events[0].end", "workerIds"]);
  });
  await sendAndExpectStatus(statuses.notFound, "an unknown offer id", {
    method: "GET",
    path: "/offer/offer_unknown?api-version=1.0",
  });
  await sendAndExpectStatus(400, "a completion without api-version", {
    path: "/offer/offer_unknown/complete",
    body: ["worker_amal"],
  });
}
