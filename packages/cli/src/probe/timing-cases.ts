import type { CorpusGroup } from "../corpus/corpus.ts";
import { exchange, open } from "../wire/exchange.ts";
import type { DefectCode, NoteCode } from "./defects.ts";
import type { Target } from "./run-case.ts";

/** A check may take 5 seconds (D-25). */
export const checkTimeoutMs = 5_000;

/** A body must arrive within 10 seconds (D-17). The rest is a margin. */
const patienceMs = 15_000;

const stalled = "timing/stalled-body";
const beside = "timing/beside-a-slow-sender";

/** For `--only`, `--skip` and `--list`. What is sent is not one request, so the corpus's format cannot hold it. */
export const timingGroup: CorpusGroup = {
  name: "timing",
  cases: [
    {
      id: stalled,
      title: "A body that stops arriving is given up within 15 seconds.",
      why: "D-17: 408 after 10.",
      request: {},
      response: { status: [408, 400, 401, "closed"], handled: 0 },
    },
    {
      id: beside,
      title: "GET /test responds while another body is stalled.",
      why: "D-25: a check may take 5 seconds.",
      request: {},
      response: { status: 200, handled: 0 },
    },
  ],
};

export interface TimingResult {
  id: string;
  title: string;
  text: string;
  code: DefectCode | NoteCode;
  sent: Buffer;
}

/** Stalls a body and looks at what happens beside it. @returns what went wrong */
export async function runTimingCases(target: Target, cases: ReadonlySet<string>): Promise<TimingResult[]> {
  const host = `${target.host}:${target.port}`;
  const head = (line: string, more = "") => `${line} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`;
  const slow = Buffer.from(
    `${head(`POST ${target.base}/contact-suggestions`, "Content-Type: application/json\r\nContent-Length: 100\r\n")}{"filter":`,
  );
  const check = Buffer.from(head(`GET ${target.base}/test`));
  if (cases.size === 0) return [];
  const started = performance.now();
  const socket = open(target).on("error", () => undefined);
  const ended = new Promise<number>((resolve) => {
    const timer = setTimeout(() => resolve(Number.POSITIVE_INFINITY), cases.has(stalled) ? patienceMs : 0);
    const end = () => {
      clearTimeout(timer);
      resolve(performance.now() - started);
    };
    socket.once("data", end).once("close", end).resume();
  });
  socket.write(slow);
  const results: TimingResult[] = [];
  if (cases.has(beside)) {
    const { responses } = await exchange(target, check, { methods: ["GET"], timeoutMs: checkTimeoutMs });
    if (responses[0] === undefined)
      results.push({
        id: beside,
        title: "A request beside a slow sender gets its response.",
        text: "GET /test got no response within 5 seconds while another body was stalled",
        code: "blocked_by_slow_sender",
        sent: check,
      });
  }
  if (cases.has(stalled) && (await ended) > patienceMs)
    results.push({
      id: stalled,
      title: "A body that stops arriving is given up within 15 seconds.",
      text: "waited for the rest of a body for more than 15 seconds",
      code: "stalled_body",
      sent: slow,
    });
  socket.destroy();
  return results;
}
