import type { Socket } from "node:net";
import type { FindingCode, TestVector, VectorGroup } from "../vectors/vectors.ts";
import { exchange, openConnection } from "../wire/exchange.ts";
import { type CodedEvidence, checkTimeoutMs } from "./explain.ts";
import type { Target } from "./send.ts";

/** A receiver waits 10 seconds for a body (D-17). The remaining 5 seconds are a margin. */
const maxStallMs = 15_000;

const stalledBodyCase: TestVector = {
  id: "timing/stalled-body",
  title: "A stalled body is abandoned within 15 seconds.",
  why: "D-17: 408 after 10 seconds.",
  request: {},
  response: { status: [408, 400, 401, "closed"], handled: 0 },
};

const checkDuringStallCase: TestVector = {
  id: "timing/beside-a-slow-sender",
  title: "GET /test responds while another request's body is stalled.",
  why: "D-25: a check may take 5 seconds.",
  request: {},
  response: { status: 200, handled: 0 },
};

/** A group for `--only`, `--skip` and `--list`. Its cases are code because test vectors cannot describe a stalled request. */
export const timingGroup: VectorGroup = { name: "timing", cases: [stalledBodyCase, checkDuringStallCase] };

/** Sends only the start of a body, and checks how the receiver behaves while the body is incomplete. @returns the evidence of defects */
export async function sendTimingCases(target: Target, cases: readonly TestVector[]): Promise<CodedEvidence[]> {
  if (cases.length === 0) return [];
  const host = `${target.host}:${target.port}`;
  const formatHead = (methodAndPath: string, bodyHeaders = "") =>
    `${methodAndPath} HTTP/1.1\r\nHost: ${host}\r\n${bodyHeaders}Connection: close\r\n\r\n`;
  const bodyHeaders = "Content-Type: application/json\r\nContent-Length: 100\r\n";
  const stalledRequest = Buffer.from(`${formatHead(`POST ${target.base}/contact-suggestions`, bodyHeaders)}{"filter":`);
  const checkRequest = Buffer.from(formatHead(`GET ${target.base}/test`));
  // Node closes the connection after an error.
  const socket = openConnection(target).on("error", () => undefined);
  const isAbandonedInTime = cases.includes(stalledBodyCase) ? waitUntilAbandoned(socket) : undefined;
  socket.write(stalledRequest);
  const results: CodedEvidence[] = [];
  const addEvidence = (code: FindingCode, { id, title }: TestVector, text: string, sent: Buffer) =>
    results.push({ code, evidence: { id, title, text, sent } });
  if (cases.includes(checkDuringStallCase)) {
    const { responses } = await exchange(target, checkRequest, { methods: ["GET"], timeoutMs: checkTimeoutMs });
    const text = "GET /test got no response within 5 seconds while another body was stalled";
    if (responses[0] === undefined) addEvidence("blocked_by_slow_sender", checkDuringStallCase, text, checkRequest);
  }
  if ((await isAbandonedInTime) === false)
    addEvidence("stalled_body", stalledBodyCase, "waited more than 15 seconds for the rest of a body", stalledRequest);
  socket.destroy();
  return results;
}

/** Resolves with true once the receiver responds or closes the connection, or with false if it does neither within the time limit. */
function waitUntilAbandoned(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), maxStallMs);
    const onAbandoned = () => {
      clearTimeout(timer);
      resolve(true);
    };
    socket.once("data", onAbandoned).once("close", onAbandoned);
  });
}
