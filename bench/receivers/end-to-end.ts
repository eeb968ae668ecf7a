import { ForkedProcess } from "../../tools/processes/forked-process.ts";
import { type Comparison, compare } from "../comparison.ts";
import { collectSamples } from "../samples.ts";
import type { SuiteOptions } from "../suite.ts";
import type { Candidate } from "./candidate.ts";
import { type EventShape, makeRequests } from "./make-requests.ts";
import { Sender } from "./sender.ts";
import type { Usage } from "./serve.ts";

/** A candidate, and the module that exports it. */
interface Receiver {
  readonly label: string;
  readonly module: URL;
  readonly candidate: Candidate;
}

const connections = 16;

const inWords = { text: "its padding one text", objects: "its padding many small objects" } as const;

/** The CPU time that a server spends on one request, from the socket to the user's code and back, for each shape of event. */
export async function measureEndToEnd(
  modules: readonly URL[],
  shapes: readonly EventShape[],
  { quick }: SuiteOptions,
): Promise<Comparison[]> {
  // It takes thousands of requests until V8 has compiled what it will and the heap has found its size.
  const [rounds, requests, warmUp] = quick ? [2, 200, 300] : [18, 800, 5_000];
  const receivers: Receiver[] = [];
  for (const module of modules) {
    const { candidate } = (await import(module.href)) as { candidate: Candidate };
    receivers.push({ label: candidate.label, module, candidate });
  }
  const tables = await collectSamples(receivers, rounds, async ({ module, candidate }) => {
    const receiver = new ForkedProcess(new URL("serve.ts", import.meta.url), module.href);
    const sender = await Sender.open(await receiver.message<number>(), connections);
    try {
      await useOf(candidate, receiver, sender, warmUp, { bytes: 300, padding: "text" });
      const figures: number[] = [];
      for (const shape of shapes) {
        await useOf(candidate, receiver, sender, Math.ceil(requests / 4), shape);
        figures.push(await useOf(candidate, receiver, sender, requests, shape));
      }
      return figures;
    } finally {
      sender.close();
      await receiver.stop();
    }
  });
  return shapes.map((shape, index) => {
    const title = `Receiving an event of ${shape.bytes} bytes, ${inWords[shape.padding]}`;
    return compare({ title, unit: "µs of CPU per request", better: "lower" }, tables[index]);
  });
}

/** A bench of requests that fail is worthless: every one must get 2xx and reach the user's code. */
async function useOf(
  candidate: Candidate,
  receiver: ForkedProcess,
  sender: Sender,
  count: number,
  shape: EventShape,
): Promise<number> {
  const requests = await makeRequests(candidate, count, shape);
  const before = await receiver.request<Usage>("usage");
  await sender.send(requests);
  const after = await receiver.request<Usage>("usage");
  const handled = after.handled - before.handled;
  if (handled !== count) throw new Error(`${candidate.label}: ${handled} events handled of ${count} sent.`);
  return (after.cpu - before.cpu) / count;
}
