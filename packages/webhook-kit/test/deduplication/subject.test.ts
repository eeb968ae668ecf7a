import { expect, test } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import { createJsonHeaders, express4, secret, serve } from "../support/serve.ts";

const now = new Date("2026-11-20T09:30:10.000Z");
const json = { "content-type": "application/json" };
// printf '%s' '2026-11-20T09:30Z5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52' | openssl dgst -sha256
const minuteHeaders = {
  ...json,
  Timestamp: "2026-11-20T09:30Z",
  Authorization: "hmac c7e61ef1d6eb20b5b5aacb327f4ad923cd3b8f1e615620a360915aa6f2f029a8",
};

/** Mounts a receiver. @returns the events that it has handled, and a function that sends a response to it */
async function mount(clock = () => now) {
  const handled: string[] = [];
  const app = express4();
  app.use(
    webhookRouter({
      secret,
      now: clock,
      onWorkerOfferResponse: ({ offerId, workerId, response }) => handled.push(`${offerId} ${workerId} ${response}`),
    }),
  );
  const { url } = await serve(app);
  const send = async (
    response: string,
    overrides: { headers?: Record<string, string>; workerId?: string; offerId?: string } = {},
  ) => {
    const { headers = minuteHeaders, workerId = "amal", offerId = "o1" } = overrides;
    const body = JSON.stringify({ offerId, workerId, response });
    return (await fetch(`${url}/offer/response`, { method: "POST", headers, body })).status;
  };
  return { handled, send };
}

test("when a worker accepts, rejects and accepts again within one signed minute, all three are handled [D-57]", async () => {
  const { handled, send } = await mount();
  for (const response of ["accepted", "rejected", "accepted"]) expect(await send(response)).toBe(200);
  expect(handled).toEqual(["o1 amal accepted", "o1 amal rejected", "o1 amal accepted"]);
});

test("a repeated response is a duplicate until the worker sends a different response", async () => {
  const { handled, send } = await mount();
  for (const response of ["accepted", "accepted", "rejected", "rejected", "accepted", "accepted"])
    expect(await send(response)).toBe(200);
  expect(handled).toEqual(["o1 amal accepted", "o1 amal rejected", "o1 amal accepted"]);
});

test("responses from other workers or to other offers do not affect which responses are duplicates", async () => {
  const { handled, send } = await mount();
  await send("accepted");
  await send("rejected", { workerId: "ben" });
  await send("rejected", { offerId: "o2" });
  await send("accepted");
  expect(handled).toEqual(["o1 amal accepted", "o1 ben rejected", "o2 amal rejected"]);
});

test("a repeated request with its own signature is a duplicate, even if a different response arrived in between [D-57]", async () => {
  const { handled, send } = await mount(() => new Date());
  const first = createJsonHeaders();
  await send("accepted", { headers: first });
  await new Promise((resolve) => setTimeout(resolve, 2));
  await send("rejected", { headers: createJsonHeaders() });
  await send("accepted", { headers: first });
  expect(handled).toEqual(["o1 amal accepted", "o1 amal rejected"]);
});
