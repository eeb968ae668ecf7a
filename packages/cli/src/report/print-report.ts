import type { ReceiverUrl } from "../exchange/read-url.ts";
import type { ProbeFinding } from "../probe/collect-findings.ts";
import { defects } from "../probe/defects.ts";
import type { ProbeResult } from "../probe/probe.ts";
import { printable } from "../terminal/printable.ts";
import { type Style, styleFor } from "../terminal/style.ts";
import { widthOf, wrapText } from "../terminal/wrap-text.ts";
import { showRequest, showResponse } from "./show-exchange.ts";
import { toCommand } from "./to-command.ts";

export interface ReportOptions {
  url: ReceiverUrl;
  mask(text: string): string;
  /** All notes, and not only their number. */
  showNotes: boolean;
}

/** Writes the report of a probe for a person. */
export function printReport(result: ProbeResult, options: ReportOptions, stream: NodeJS.WriteStream): void {
  const style = styleFor(stream);
  const width = widthOf(stream);
  const sections = result.findings.map((finding, index) => printFinding(finding, index + 1, options, style, width));
  stream.write(`${[...sections, printSummary(result, options, style, width)].join("\n\n")}\n`);
}

function printFinding(
  { defect, evidence }: ProbeFinding,
  number: number,
  { url, mask }: ReportOptions,
  style: Style,
  width: number,
): string {
  const { title, why, change } = defects[defect];
  const [first] = evidence;
  if (!first) return "";
  const command = toCommand(first.sent, url, mask);
  const block = (label: string, text: string) => [style("bold", `   ${label}`), indent(text)];
  const others = evidence.slice(1, 4).map(({ id, text }) => `${id}: ${text}`);
  if (evidence.length > 4) others.push(`and ${evidence.length - 4} more`);
  return [
    `${style(["bold", "red"], `${number}. ${title}`)} ${style("dim", `(${defect})`)}`,
    wrapText(`Why it matters: ${why}`, "   ", width),
    wrapText(`Change: ${change}`, "   ", width),
    "",
    `   Case: ${first.id}`,
    wrapText(`Expected: ${first.title}`, "   ", width),
    wrapText(`Result: ${first.text}`, "   ", width),
    ...(first.source === undefined ? [] : [style("dim", wrapText(`Source: ${first.source}`, "   ", width))]),
    ...block("Sent", showRequest(first.sent, mask)),
    ...block("Received", showResponse(first.received, mask)),
    ...(command === undefined ? [] : block("Send it again", printable(command))),
    ...(others.length > 0 ? block("Also", others.join("\n")) : []),
  ].join("\n");
}

const indent = (text: string): string => text.replaceAll(/^/gm, "     ");

function printSummary(
  { sent, findings, notes, skipped }: ProbeResult,
  options: ReportOptions,
  style: Style,
  width: number,
) {
  const count = findings.length;
  const verdict =
    count === 0 ? style(["bold", "green"], "No findings") : style(["bold", "red"], plural(count, "finding"));
  const lines = [`${verdict} in ${plural(sent, "case")} at ${options.url.href}.`];
  for (const { reason, count: left } of skipped)
    lines.push(wrapText(`Not sent: ${plural(left, "case")}; ${reason}.`, "", width));
  if (notes.length > 0 && !options.showNotes)
    lines.push(
      wrapText(`${plural(notes.length, "note")}: differences that need no change; --notes prints them.`, "", width),
    );
  if (options.showNotes) lines.push("", ...notes.map(({ id, text }) => printable(`  ${id}: ${options.mask(text)}`)));
  if (count > 0)
    lines.push(
      wrapText(
        "A signature in this report is valid for 5 minutes. After a change, send one case again with --only, such as:",
        "",
        width,
      ),
    );
  const [first] = findings;
  if (first?.evidence[0]) lines.push(`  offers probe ${options.url.href} --only ${first.evidence[0].id}`);
  return lines.join("\n");
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
