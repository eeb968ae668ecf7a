import { type Comparison, compare } from "../comparison.ts";
import { runRounds } from "../rounds.ts";
import type { SuiteOptions } from "../suite.ts";
import type { Contender } from "./contender.ts";
import { type EventShape, makeRequests } from "./make-requests.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { Sender } from "./sender.ts";

/** A contender at work. */
interface Running {
  readonly label: string;
  readonly contender: Contender;
  readonly receiver: ReceiverProcess;
  readonly sender: Sender;
}

const connections = 16;

const inWords = { text: "its padding one text", objects: "its padding many small objects" } as const;

/** The CPU time that a server spends on one request, from the socket to the user's code and back, for each shape of event. */
export async function measureEndToEnd(
  modules: readonly URL[],
  shapes: readonly EventShape[],
  { quick }: SuiteOptions,
): Promise<Comparison[]> {
  // It takes some 20,000 requests until V8 has compiled what it will and its heap has found its size.
  const [rounds, requests, warmUp] = quick ? [3, 500, 2_000] : [11, 1_500, 20_000];
  const running: Running[] = [];
  try {
    for (const module of modules) running.push(await start(module));
    await runRounds(running, 1, (one) => useOf(one, warmUp, { bytes: 300, padding: "text" }));
    const comparisons: Comparison[] = [];
    for (const shape of shapes) {
      await runRounds(running, 1, (one) => useOf(one, requests, shape));
      const samples = await runRounds(running, rounds, (one) => useOf(one, requests, shape));
      const title = `Receiving an event of ${shape.bytes} bytes, ${inWords[shape.padding]}`;
      comparisons.push(compare({ title, unit: "µs of CPU per request", better: "lower" }, samples));
    }
    return comparisons;
  } finally {
    for (const { sender, receiver } of running) {
      sender.close();
      await receiver.stop();
    }
  }
}

async function start(module: URL): Promise<Running> {
  const { contender } = (await import(module.href)) as { contender: Contender };
  const receiver = await ReceiverProcess.start(module);
  const sender = await Sender.open(receiver.port, connections);
  return { label: contender.label, contender, receiver, sender };
}

/** A bench of requests that fail is worthless: every one must be answered 2xx and reach the user's code. */
async function useOf(
  { label, contender, receiver, sender }: Running,
  count: number,
  shape: EventShape,
): Promise<number> {
  const requests = await makeRequests(contender, count, shape);
  const before = await receiver.usage();
  await sender.send(requests);
  const after = await receiver.usage();
  const handled = after.handled - before.handled;
  if (handled !== count) throw new Error(`${label}: ${handled} events handled of ${count} sent.`);
  return (after.cpu - before.cpu) / count;
}
