/**
 * Runs the corpus against a receiver in any language, without the cases that need its clock or set-up changed:
 *
 *     npm run corpus -- --url http://127.0.0.1:3001/offers --secret … [--previous …] [--counter …]
 *
 * What the receiver must be set up for is reported in spec/corpus/README.md.
 */
import { parseArgs } from "node:util";
import { type Corpus, type CorpusCase, readCorpus, stepsOf } from "./corpus.ts";
import { type Receiver, runCorpus } from "./run-corpus.ts";
import { summarise, wrongOf } from "./summarise.ts";

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    secret: { type: "string" },
    previous: { type: "string" },
    counter: { type: "string" },
  },
});
const { url, secret, previous, counter } = values;
if (url === undefined || secret === undefined) {
  console.error("Give --url and --secret; see spec/corpus/README.md.");
  process.exit(2);
}

const { protocol, hostname, port, pathname } = new URL(url);
if (protocol !== "http:") throw new Error("The corpus is sent over plain http; stand before whatever ends TLS.");
const receiver: Receiver = {
  concurrency: counter === undefined ? 8 : 1,
  targetOf: (needs) =>
    Object.keys(needs).length > 0
      ? undefined
      : { host: hostname, port: Number(port || 80), base: pathname.replace(/\/$/, "") },
  ...(counter !== undefined && { count: async () => Number(await (await fetch(counter)).text()) }),
};

const corpus = readCorpus();
const needsPrevious = (each: CorpusCase) =>
  stepsOf(each).some(({ sign, other }) => sign?.secret === "previous" || other?.secret === "previous");
const fitting: Corpus = {
  config: { ...corpus.config, secrets: { ...corpus.config.secrets, current: secret, previous: previous ?? "" } },
  groups: corpus.groups.map(({ name, cases }) => ({
    name,
    cases: cases.filter((each) => previous !== undefined || !needsPrevious(each)),
  })),
};

const verdicts = await runCorpus(fitting, receiver);
for (const line of wrongOf(verdicts)) console.log(line);
console.log(summarise(verdicts));
process.exitCode = wrongOf(verdicts).length > 0 ? 1 : 0;
