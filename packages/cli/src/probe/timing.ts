import type { FindingCode, TestVector, VectorGroup } from "../vectors/vectors.ts";
import { exchange, open } from "../wire/exchange.ts";
import { checkTimeoutMs, type Evidence } from "./explain.ts";
import type { Target } from "./send.ts";

/** A body must arrive within 10 seconds (D-17); 5 seconds are a margin. */
const patienceMs = 15_000;

const stalled: TestVector = {
  id: "timing/stalled-body",
  title: "A stalled body is abandoned within 15 seconds.",
  why: "D-17: 408 after 10.",
  request: {},
  response: { status: [408, 400, 401, "closed"], handled: 0 },
};

const whileStalled: TestVector = {
  id: "timing/beside-a-slow-sender",
  title: "GET /test responds while another request's body is stalled.",
  why: "D-25: a check may take 5 seconds.",
  request: {},
  response: { status: 200, handled: 0 },
};

/** Lets `--only`, `--skip` and `--list` include this case. It does more than send requests, so a test vector cannot describe it. */
export const timingGroup: VectorGroup = { name: "timing", cases: [stalled, whileStalled] };

/** Stalls a body and watches what happens meanwhile. @returns the faults */
export async function sendTimingCases(
  target: Target,
  cases: readonly TestVector[],
): Promise<{ code: FindingCode; evidence: Evidence }[]> {
  const host = `${target.host}:${target.port}`;
  const head = (line: string, more = "") => `${line} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`;
  const slow = Buffer.from(
    `${head(`POST ${target.base}/contact-suggestions`, "Content-Type: application/json\r\nContent-Length: 100\r\n")}{"filter":`,
  );
  const check = Buffer.from(head(`GET ${target.base}/test`));
  if (cases.length === 0) return [];
  const started = performance.now();
  const socket = open(target).on("error", () => undefined);
  const ended = new Promise<number>((resolve) => {
    const timer = setTimeout(() => resolve(Number.POSITIVE_INFINITY), cases.includes(stalled) ? patienceMs : 0);
    const end = () => {
      clearTimeout(timer);
      resolve(performance.now() - started);
    };
    socket.once("data", end).once("close", end).resume();
  });
  socket.write(slow);
  const results: { code: FindingCode; evidence: Evidence }[] = [];
  const add = (code: FindingCode, { id, title }: TestVector, text: string, sent: Buffer) =>
    results.push({ code, evidence: { id, title, text, sent } });
  if (cases.includes(whileStalled)) {
    const { responses } = await exchange(target, check, { methods: ["GET"], timeoutMs: checkTimeoutMs });
    const text = "GET /test got no response within 5 seconds while another body was stalled";
    if (responses[0] === undefined) add("blocked_by_slow_sender", whileStalled, text, check);
  }
  if (cases.includes(stalled) && (await ended) > patienceMs)
    add("stalled_body", stalled, "waited more than 15 seconds for the rest of a body", slow);
  socket.destroy();
  return results;
}
