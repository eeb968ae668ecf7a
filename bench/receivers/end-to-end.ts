import { ForkedProcess } from "../../scripts/processes/forked-process.ts";
import { type Comparison, compare } from "../comparison.ts";
import { collectPairs, measureAlternately, type Pair } from "../pairs.ts";
import type { SuiteOptions } from "../suite.ts";
import type { ReceiverCandidate } from "./candidate.ts";
import { type EventShape, makeRequests } from "./make-requests.ts";
import { Sender } from "./sender.ts";
import type { Usage } from "./serve.ts";

/** A candidate, and the module that exports it. */
interface Receiver {
  readonly label: string;
  readonly module: URL;
  readonly candidate: ReceiverCandidate;
}

const connections = 16;

const paddingLabels = { text: "padded with one string", objects: "padded with many small objects" } as const;

/** Measures a server's CPU time per request, from the socket to the user's code and back, for each event shape. */
export async function measureEndToEnd(
  modules: readonly URL[],
  shapes: readonly EventShape[],
  { quick }: SuiteOptions,
): Promise<Comparison[]> {
  // V8 compiles everything, and the heap stops growing, only after thousands of requests.
  const size = quick ? { slices: 3, requests: 60, warmUp: 300 } : { slices: 9, requests: 150, warmUp: 5_000 };
  const receivers = await loadReceivers(modules);
  const tables = await collectPairs(receivers, quick ? 2 : 12, (candidate, base) =>
    measureShapes(candidate, base, shapes, size),
  );
  return shapes.map((shape, index) => {
    const title = `Receiving an event of ${shape.bytes} bytes, ${paddingLabels[shape.padding]}`;
    return compare(
      { title, unit: "µs of CPU per request", better: "lower" },
      tables[index]?.values,
      tables[index]?.ratios,
    );
  });
}

async function loadReceivers(modules: readonly URL[]): Promise<Receiver[]> {
  const receivers: Receiver[] = [];
  for (const module of modules) {
    const { candidate } = (await import(module.href)) as { candidate: ReceiverCandidate };
    receivers.push({ label: candidate.label, module, candidate });
  }
  return receivers;
}

/** Measures a candidate and the base alternately, in new processes. @returns one pair for each event shape */
async function measureShapes(
  candidateReceiver: Receiver,
  baseReceiver: Receiver,
  shapes: readonly EventShape[],
  { slices, requests, warmUp }: { slices: number; requests: number; warmUp: number },
): Promise<Pair[]> {
  const [candidate, base] = await Promise.all([
    RunningReceiver.start(candidateReceiver),
    RunningReceiver.start(baseReceiver),
  ]);
  try {
    // Warm up first with small events, then with each shape, and ignore these results.
    for (const receiver of [base, candidate])
      await receiver.measureCpuPerRequest(warmUp, { bytes: 300, padding: "text" });
    const pairs: Pair[] = [];
    for (const shape of shapes) {
      for (const receiver of [base, candidate]) await receiver.measureCpuPerRequest(requests, shape);
      const measure = (receiver: RunningReceiver) => () => receiver.measureCpuPerRequest(requests, shape);
      pairs.push(await measureAlternately(slices, measure(base), measure(candidate)));
    }
    return pairs;
  } finally {
    await Promise.all([candidate.stop(), base.stop()]);
  }
}

/** A receiver in a separate process, and a sender that is connected to it. */
class RunningReceiver {
  readonly #candidate: ReceiverCandidate;
  readonly #process: ForkedProcess;
  readonly #sender: Sender;

  private constructor(candidate: ReceiverCandidate, process: ForkedProcess, sender: Sender) {
    this.#candidate = candidate;
    this.#process = process;
    this.#sender = sender;
  }

  static async start({ module, candidate }: Receiver): Promise<RunningReceiver> {
    const process = new ForkedProcess(new URL("serve.ts", import.meta.url), module.href);
    return new RunningReceiver(
      candidate,
      process,
      await Sender.open(await process.waitForMessage<number>(), connections),
    );
  }

  /** Measures CPU time per request. @throws unless every request gets 2xx and reaches the user's code */
  async measureCpuPerRequest(count: number, shape: EventShape): Promise<number> {
    const requests = await makeRequests(this.#candidate, count, shape);
    const before = await this.#process.request<Usage>("usage");
    await this.#sender.send(requests);
    const after = await this.#process.request<Usage>("usage");
    const handledCount = after.handledCount - before.handledCount;
    if (handledCount !== count)
      throw new Error(`${this.#candidate.label}: ${handledCount} of ${count} events were handled.`);
    return (after.cpuMicroseconds - before.cpuMicroseconds) / count;
  }

  async stop(): Promise<void> {
    this.#sender.close();
    await this.#process.stop();
  }
}
