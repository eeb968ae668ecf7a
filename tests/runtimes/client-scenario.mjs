// Checks of the client. Every runtime runs this file unchanged. It imports the package by its published name, and uses only Web APIs.
import { isOffersError, OffersClient, OffersError } from "@offers/client";

const input = {
  createdByUserId: "user_hana",
  title: "Kitchen help on Friday",
  workerIds: ["worker_amal", "worker_ben"],
  events: [{ start: "2099-05-01T18:00:00+02:00", end: new Date(Date.UTC(2099, 4, 1, 22)) }],
};

function check(condition, message) {
  if (!condition) throw new Error(message);
}

/** Checks that the call fails with an `OffersError` that has one of these codes and does not contain the key. @returns the error */
async function expectError(call, ...codes) {
  const error = await call.then(
    () => undefined,
    (error) => error,
  );
  check(error instanceof OffersError && isOffersError(error), `not an OffersError: ${error}`);
  check(codes.includes(error.code), `${error.code}: ${error.message}`);
  check(!`${error.message} ${error.cause}`.includes("demo-key"), "the error contains the key");
  return error;
}

/** The checks, by name. Each gets a client for the service in client-service.ts, and a client for a URL where nothing listens. */
const checks = {
  async create({ offers }) {
    const { id } = await offers.createOffer(input);
    check(id === "offer_1", `the id was ${id}`);
  },
  async get({ offers }) {
    const { data, response, attempts } = await offers.getOffer("offer_1").withResponse();
    check(data.title === input.title && data.recipients[0].response === "applied", "not the expected offer");
    check(data.events[0].start === "2099-05-01T16:00:00Z", `it starts at ${data.events[0].start}`);
    check(response.status === 200 && response.headers.get("X-Request-Id") === "request_1", "not the expected response");
    check(attempts === 1, `${attempts} attempts`);
  },
  async complete({ offers }) {
    check((await offers.completeOffer("offer_1", ["worker_amal"])) === undefined, "the response is not empty");
  },
  async withdraw({ offers }) {
    check((await offers.withdrawOffer("an id / with ü?")) === undefined, "the response is not empty");
  },
  async watch({ offers }) {
    const changes = [];
    for await (const { name, response } of offers.watchOffer("watched", { pollIntervalMs: 20 }))
      changes.push(`${name} ${response}`);
    check(changes.join() === "Amal none,Ben none,Amal applied", `the changes were ${changes.join()}`);
  },
  async "typed error"({ offers }) {
    const error = await expectError(offers.getOffer("missing"), "not_found");
    check(error.status === 404 && error.problem?.title === "No such offer" && error.attempts === 1, error.message);
    const result = await offers.getOffer("page").safe();
    check(
      !result.ok && result.error.code === "invalid_response" && result.error.status === 200,
      "a web page was accepted as an offer",
    );
  },
  async retry({ offers }) {
    const { attempts } = await offers.getOffer("flaky").withResponse();
    check(attempts === 2, `${attempts} attempts`);
    const error = await expectError(offers.createOffer({ ...input, title: "unavailable" }), "server_error");
    check(error.attempts === 1, `a creation was sent ${error.attempts} times`);
  },
  async timeout({ offers }) {
    for (const id of ["silent", "halfway"])
      await expectError(offers.getOffer(id, { timeoutMs: 200, maxRetries: 0 }), "timeout");
  },
  async abort({ offers }) {
    const reason = new Error("enough");
    for (const id of ["silent", "halfway", "throttled"]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 100);
      const error = await expectError(offers.getOffer(id, { signal: controller.signal }), "aborted");
      check(error.cause === reason && error.attempts === 1, `${id}: ${error.attempts} attempts`);
    }
  },
  async redirect({ offers }) {
    const { status } = await expectError(offers.getOffer("moved", { maxRetries: 0 }), "unexpected_redirect");
    check(status === 302 || status === 0, `the status was ${status}`);
  },
  async reset({ offers }) {
    await expectError(offers.createOffer({ ...input, title: "reset" }), "connection_lost");
    await expectError(offers.getOffer("cut", { maxRetries: 0 }), "connection_lost", "invalid_response");
  },
  async refused({ unreachable }) {
    // Some runtimes do not report that no connection was made, so the client must assume that the request may have been sent.
    const error = await expectError(
      unreachable.createOffer(input, { maxRetries: 0 }),
      "connect_failed",
      "connection_lost",
    );
    return error.code;
  },
};

/** Runs every check. @param fetch replaces the runtime's `fetch` @returns "ok" or the failure of each check, by its name */
export async function scenario({ baseUrl, unreachableUrl }, fetch) {
  const options = { apiKey: "demo-key", timeoutMs: 5_000, fetch };
  const offers = new OffersClient({ ...options, baseUrl });
  const unreachable = new OffersClient({ ...options, baseUrl: unreachableUrl });
  const results = {};
  for (const [name, runCheck] of Object.entries(checks))
    results[name] = await runCheck({ offers, unreachable }).then(
      (remark) => (remark ? `ok (${remark})` : "ok"),
      (error) => `FAILED: ${error.message}`,
    );
  return results;
}
