import { type Comparison, compare } from "../comparison.ts";
import { runRounds } from "../rounds.ts";
import type { SuiteOptions } from "../suite.ts";
import type { Contender } from "./contender.ts";
import { type EventShape, makeRequests } from "./make-requests.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { Sender } from "./sender.ts";

/** A contender, and the module that exports it. */
interface Receiver {
  readonly label: string;
  readonly module: URL;
  readonly contender: Contender;
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
  const [rounds, requests, warmUp] = quick ? [2, 200, 300] : [12, 800, 5_000];
  const receivers: Receiver[] = [];
  for (const module of modules) {
    const { contender } = (await import(module.href)) as { contender: Contender };
    receivers.push({ label: contender.label, module, contender });
  }
  const tables = await runRounds(receivers, rounds, async ({ module, contender }) => {
    const receiver = await ReceiverProcess.start(module);
    const sender = await Sender.open(receiver.port, connections);
    try {
      await useOf(contender, receiver, sender, warmUp, { bytes: 300, padding: "text" });
      const figures: number[] = [];
      for (const shape of shapes) {
        await useOf(contender, receiver, sender, Math.ceil(requests / 4), shape);
        figures.push(await useOf(contender, receiver, sender, requests, shape));
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
  contender: Contender,
  receiver: ReceiverProcess,
  sender: Sender,
  count: number,
  shape: EventShape,
): Promise<number> {
  const requests = await makeRequests(contender, count, shape);
  const before = await receiver.usage();
  await sender.send(requests);
  const after = await receiver.usage();
  const handled = after.handled - before.handled;
  if (handled !== count) throw new Error(`${contender.label}: ${handled} events handled of ${count} sent.`);
  return (after.cpu - before.cpu) / count;
}
