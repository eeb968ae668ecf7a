import { createHash } from "node:crypto";
import { testReceiver } from "@offers/webhook-kit/testing";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const accepted = JSON.stringify({ offerId: "offer_1", workerId: "worker_amal", response: "accepted" });

// By hand, from interface.md: the kit does not sign what it is to check.
function signed(signingSecret = secret, moment = new Date()) {
  const timestamp = moment.toISOString();
  const digest = createHash("sha256").update(`${timestamp}${signingSecret}`).digest("hex");
  return { timestamp, authorization: `hmac ${digest}` };
}

/** What webhooks.mjs must do, wherever it is served. */
export async function checkWebhooks(address: string): Promise<Record<string, string>> {
  const results: Record<string, string> = {};
  const check = async (name: string, path: string, status: number, init: RequestInit) => {
    const response = await fetch(`${address}/offers${path}`, init);
    const result = response.status === status ? "ok" : `FAILED: ${response.status} instead of ${status}`;
    if (results[name] === undefined || results[name] === "ok") results[name] = result;
    await response.arrayBuffer();
  };
  await check("/test", "/test", 200, {});
  await check("/test/auth, signed", "/test/auth", 200, { headers: signed() });
  for (const headers of [{}, signed("another secret than theirs"), signed(secret, new Date(Date.now() - 3_600_000))])
    await check("/test/auth, not signed", "/test/auth", 401, { headers });

  const event = { method: "POST", headers: { ...signed(), "content-type": "application/json" }, body: accepted };
  await check("an event", "/offer/response", 200, event);
  await check("the event again", "/offer/response", 200, event);
  await check("a false event", "/offer/response", 401, {
    ...event,
    headers: { ...event.headers, ...signed("another secret than theirs") },
  });
  await check("a broken event", "/offer/response", 400, {
    ...event,
    headers: { ...event.headers, ...signed(secret, new Date(Date.now() - 1_000)) },
    body: "{",
  });
  const heard = await (await fetch(`${address}/heard`)).text();
  results["heard once"] = heard === `[${accepted}]` ? "ok" : `FAILED: ${heard}`;
  const receiver = await testReceiver(address, { secret, basePath: "/offers" });
  const problems = await receiver.checkContract();
  results["the whole contract"] = problems.length === 0 ? "ok" : `FAILED: ${problems.join(" ")}`;
  await receiver.close();
  return results;
}
