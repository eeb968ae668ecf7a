import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { readCorpus } from "./corpus.ts";
import type { Mistake } from "./judge.ts";
import { startReceiver } from "./receivers/start-receiver.ts";
import { runCorpus } from "./run-corpus.ts";
import { summarise, wrongOf } from "./summarise.ts";

const corpus = readCorpus();
const adapters = ["Express 4", "Express 5", "node:http", "fetch"];
/** One in which UTC taken for local time shows; in the full matrix, the furthest from UTC as well. */
const zones =
  process.env.TEST_MATRIX === "full" ? ["UTC", "Pacific/Kiritimati", "America/St_Johns"] : ["America/St_Johns"];
const started: { stop(): Promise<unknown> }[] = [];
afterAll(() => Promise.all(started.map((receiver) => receiver.stop())));

async function start(adapter: string, zone: string) {
  const receiver = await startReceiver(adapter, zone);
  started.push(receiver);
  return receiver;
}

describe.concurrent.each(adapters.flatMap((adapter) => zones.map((zone) => ({ adapter, zone }))))(
  "$adapter in $zone",
  ({ adapter, zone }) => {
    test("gets no case of the corpus wrong, by the corpus's clock and by the real one", async () => {
      const receiver = await start(adapter, zone);
      for (const clock of [corpus.config.clock, undefined]) {
        const verdicts = await runCorpus(corpus, receiver, clock);
        expect(wrongOf(verdicts), summarise(verdicts)).toEqual([]);
        expect(verdicts.length, "cases that were sent").toBeGreaterThan(700);
      }
    });
  },
);

test.concurrent("a naive middleware gets at least 60 wrong", async () => {
  const verdicts = await runCorpus(corpus, await start("the textbook", "UTC"), corpus.config.clock);
  // Not headers or the wording of responses: what was accepted, refused, handled or repeated.
  const counts = ({ kind }: Mistake) => kind === "status" || kind === "handled" || kind === "leak";
  expect(wrongOf(verdicts, counts).length, summarise(verdicts)).toBeGreaterThanOrEqual(60);
});

test.concurrent("the command runs the corpus against an address, and asks how often handlers ran", async () => {
  const receiver = await start("Express 5", "UTC");
  const target = receiver.targetOf({});
  const counter = createServer((_request, response) => {
    const report = receiver.tally([target]).then(([noted]) => response.end(String(noted?.handled)));
    report.catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(counter, "listening");
  const { port } = counter.address() as AddressInfo;
  const { current = "", previous = "" } = corpus.config.secrets;
  const command = promisify(execFile)(process.execPath, [
    fileURLToPath(new URL("run.ts", import.meta.url)),
    ...["--url", `http://${target.host}:${target.port}${target.base}/`, "--secret", current, "--previous", previous],
    ...["--counter", `http://127.0.0.1:${port}`],
  ]);
  // It ends with 1 when anything is wrong, and has said what.
  const { stdout } = await command.catch((failure: { stdout: string }) => failure);
  counter.close();
  expect(stdout.trim().split("\n").at(-1), stdout).toMatch(/^7\d\d right, 0 wrong$/);
});
