// Measures how many requests per second undici alone sends from one process over 50 connections, without a store.
import { Agent, request } from "undici";

const [, , receiverUrl = "", count = "0"] = process.argv;
const connections = 50;
const dispatcher = new Agent({ connections });
const body = JSON.stringify({ offerId: "offer-1", workerId: "worker-1", response: "accepted" });
const headers = { "content-type": "application/json" };

async function measureRequestsPerSecond(requestCount: number): Promise<number> {
  const startedAt = performance.now();
  let remaining = requestCount;
  const sendSequentially = async (): Promise<void> => {
    while (remaining > 0) {
      remaining -= 1;
      const response = await request(`${receiverUrl}/offer/response`, { dispatcher, method: "POST", headers, body });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendSequentially));
  return requestCount / ((performance.now() - startedAt) / 1_000);
}

// Warm up, and ignore the result.
await measureRequestsPerSecond(2_000);
process.send?.(await measureRequestsPerSecond(Number(count)));
process.on("disconnect", () => process.exit());
