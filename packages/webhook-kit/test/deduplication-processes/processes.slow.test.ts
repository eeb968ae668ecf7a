import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { openRedis } from "../deduplication/deduplication-under-test.ts";
import { findRedis, redisUrl } from "../deduplication/redis-server.ts";
import { createJsonHeaders, secret } from "../support/serve.ts";
import { type ReceiverProcess, startProcess } from "./start-process.ts";

/** Starts three receiver processes that share a Redis through different clients. */
async function startThreeProcesses(handlerTimeoutMs: number): Promise<ReceiverProcess[]> {
  const { prefix } = await openRedis();
  const clients = ["redis", "ioredis", "redis"] as const;
  return Promise.all(clients.map((client) => startProcess({ client, redisUrl, prefix, secret, handlerTimeoutMs })));
}

/** Signs an event, and returns a function that sends the same request each time. */
function createRepeatedRequest(): (receiver: ReceiverProcess | undefined) => Promise<ProcessResponse> {
  const init = {
    method: "POST",
    headers: createJsonHeaders(),
    body: JSON.stringify({ offerId: "offer_4f1c2a", workerId: "worker_amal", response: "accepted" }),
  };
  return async (receiver) => {
    const response = await fetch(`${receiver?.url}/offer/response`, init);
    await response.text();
    return { status: response.status, retryAfter: Number(response.headers.get("retry-after")) };
  };
}

interface ProcessResponse {
  readonly status: number;
  readonly retryAfter: number;
}

const send100Requests = (
  processes: ReceiverProcess[],
  send: (receiver: ReceiverProcess | undefined) => Promise<ProcessResponse>,
) => Array.from({ length: 100 }, (_, index) => send(processes[index % processes.length]));

const listHandled = (processes: ReceiverProcess[]): string[] => processes.flatMap(({ handled }) => handled);

describe.runIf(await findRedis())("three processes that share a Redis", () => {
  test("of a hundred simultaneous identical requests, one is handled and all are eventually acknowledged", async () => {
    const processes = await startThreeProcesses(20_000);
    const send = createRepeatedRequest();
    const requests = send100Requests(processes, send);
    let conflictCount = 0;
    for (const request of requests)
      void request.then(({ status, retryAfter }) => {
        if (status === 409 && retryAfter >= 1) conflictCount += 1;
      });
    await vi.waitFor(() => expect([conflictCount, listHandled(processes)]).toEqual([99, ["worker_amal"]]), {
      timeout: 60_000,
    });
    for (const process of processes) process.finish();
    expect((await Promise.all(requests)).filter(({ status }) => status === 200)).toHaveLength(1);

    const laterResponses = await Promise.all(send100Requests(processes, send));
    expect(laterResponses.filter(({ status }) => status === 200)).toHaveLength(100);
    expect(listHandled(processes)).toEqual(["worker_amal"]);
  });

  test("of a hundred identical requests to handlers that finish immediately, one is handled", async () => {
    const processes = await startThreeProcesses(20_000);
    for (const process of processes) process.finish();
    const responses = await Promise.all(send100Requests(processes, createRepeatedRequest()));
    for (const { status, retryAfter } of responses)
      expect(status === 200 || (status === 409 && retryAfter >= 1), `${status}, retry after ${retryAfter}`).toBe(true);
    expect(responses.some(({ status }) => status === 200)).toBe(true);
    expect(listHandled(processes)).toEqual(["worker_amal"]);
  });

  test("when a process is killed during a request, another process handles it once the lease expires", async () => {
    const [killedProcess, ...otherProcesses] = (await startThreeProcesses(500)) as [
      ReceiverProcess,
      ...ReceiverProcess[],
    ];
    for (const process of otherProcesses) process.finish();
    const send = createRepeatedRequest();
    const lostResponse = send(killedProcess).catch(() => "connection lost");
    await vi.waitFor(() => expect(killedProcess.handled).toHaveLength(1), { timeout: 60_000 });
    await killedProcess.kill();
    await lostResponse;

    const statuses: number[] = [];
    while (statuses.at(-1) !== 200) {
      const { status, retryAfter } = await send(otherProcesses[statuses.length % otherProcesses.length]);
      statuses.push(status);
      if (status === 409) expect(retryAfter).toBeGreaterThanOrEqual(1);
      await pause(20);
    }
    expect(statuses[0]).toBe(409);
    expect(new Set(statuses)).toEqual(new Set([409, 200]));
    expect(listHandled(otherProcesses)).toEqual(["worker_amal"]);
  });
});
