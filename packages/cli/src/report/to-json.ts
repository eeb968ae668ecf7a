import type { ReceiverUrl } from "../exchange/read-url.ts";
import { defects } from "../probe/defects.ts";
import type { ProbeResult } from "../probe/probe.ts";
import { showRequest, showResponse } from "./show-exchange.ts";
import { toCommand } from "./to-command.ts";

/** The result of a probe for a program. Secrets are masked. */
export function toJson(
  { sent, findings, notes, skipped }: ProbeResult,
  url: ReceiverUrl,
  mask: (text: string) => string,
) {
  return {
    url: url.href,
    sent,
    findings: findings.map(({ defect, evidence }) => ({
      ...{ defect, ...defects[defect] },
      cases: evidence.map((one) => ({
        ...{ id: one.id, title: one.title, result: one.text, source: one.source },
        ...{ request: showRequest(one.sent, mask), command: toCommand(one.sent, url, mask) },
        response: one.received ? showResponse(one.received, mask) : null,
      })),
    })),
    notes: notes.map(({ id, text }) => ({ id, text: mask(text) })),
    skipped,
  };
}
