import type { CorpusGroup } from "../corpus/corpus.ts";
import { type Mask, plural, printable, type Style, styleFor, widthOf, wrapText } from "../terminal/output.ts";
import type { ReceiverUrl } from "../wire/receiver-url.ts";
import { showRequest, showResponse, toCommand } from "../wire/show-exchange.ts";
import { type Defect, type DefectCode, defects, type NoteCode, notes } from "./defects.ts";
import type { Evidence } from "./findings.ts";
import type { ProbeResult } from "./probe.ts";

export interface ReportOptions {
  url: ReceiverUrl;
  mask: Mask;
  /** All notes, and not only their number. */
  showNotes: boolean;
  /** Notes count as findings. */
  isStrict: boolean;
  /** All other differences from the corpus count as well. */
  isExact: boolean;
}

/** How many findings, notes and differences count: the command ends with 1 if there are any. */
export const countOf = (
  result: ProbeResult,
  { isStrict, isExact }: Pick<ReportOptions, "isStrict" | "isExact">,
): number => result.findings.length + (isStrict ? result.notes.length : 0) + (isExact ? result.differences.length : 0);

/** Writes the report of a probe for a person. */
export function printReport(result: ProbeResult, options: ReportOptions, stream: NodeJS.WriteStream): void {
  const style = styleFor(stream);
  const width = widthOf(stream);
  const shown: [DefectCode | NoteCode, Defect, Evidence[]][] = [
    ...result.findings.map(({ defect, evidence }): (typeof shown)[number] => [defect, defects[defect], evidence]),
    ...(options.showNotes ? result.notes : []).map(({ note, evidence }): (typeof shown)[number] => [
      note,
      notes[note],
      evidence,
    ]),
  ];
  const sections = shown.map(([code, defect, evidence], index) => {
    const isNote = index >= result.findings.length;
    const heading = `${isNote ? "Note: " : `${index + 1}. `}${defect.title}`;
    const title = `${style(["bold", isNote ? "yellow" : "red"], heading)} ${style("dim", `(${code})`)}`;
    return [title, ...printFinding(defect, evidence, options, style, width)].join("\n");
  });
  stream.write(`${[...sections, printSummary(result, options, style, width)].join("\n\n")}\n`);
}

function printFinding(
  { why, change, line }: Defect,
  evidence: Evidence[],
  { url, mask }: ReportOptions,
  style: Style,
  width: number,
): string[] {
  const [first] = evidence;
  if (!first) return [];
  const command = toCommand(first.sent, url, mask);
  const block = (label: string, text: string) => [style("bold", `   ${label}`), indent(text)];
  const others = evidence.slice(1, 4).map(({ id, text }) => `${id}: ${text}`);
  if (evidence.length > 4) others.push(`and ${evidence.length - 4} more`);
  return [
    wrapText(`Why it matters: ${why}`, "   ", width),
    wrapText(`Change: ${change}`, "   ", width),
    ...(line === undefined ? [] : block("Such a line is often the cause", line)),
    "",
    `   Case: ${first.id}`,
    wrapText(`Expected: ${first.title}`, "   ", width),
    wrapText(printable(mask(`Result: ${first.text}`)), "   ", width),
    ...(first.source === undefined ? [] : [style("dim", wrapText(`Source: ${first.source}`, "   ", width))]),
    ...block("Sent", showRequest(first.sent, mask)),
    ...block("Received", showResponse(first.received, mask)),
    ...(command === undefined ? [] : block("Send it again", printable(command))),
    ...(others.length > 0 ? block("Also", others.join("\n")) : []),
  ];
}

const indent = (text: string): string => text.replaceAll(/^/gm, "     ");

function printSummary(result: ProbeResult, options: ReportOptions, style: Style, width: number): string {
  const { sent, findings, differences, skipped } = result;
  const { url, mask, showNotes, isStrict, isExact } = options;
  const counted = [
    ...(findings.length > 0 ? [plural(findings.length, "finding")] : []),
    ...(isStrict && result.notes.length > 0 ? [plural(result.notes.length, "note")] : []),
    ...(isExact && differences.length > 0 ? [`${plural(differences.length, "difference")} from the corpus`] : []),
  ].join(" and ");
  const verdict = counted === "" ? style(["bold", "green"], "No findings") : style(["bold", "red"], counted);
  const cases = sent === 0 && findings.length > 0 ? "in the service's own checks" : `in ${plural(sent, "case")}`;
  const lines = [`${verdict} ${cases} at ${url.href}.`];
  for (const { reason, count } of skipped)
    lines.push(wrapText(`Not sent: ${plural(count, "case")}; ${reason}.`, "", width));
  if (result.notes.length > 0 && !showNotes)
    lines.push(wrapText(`${plural(result.notes.length, "note")}: what costs nothing; --notes shows more.`, "", width));
  if (isExact) lines.push(...differences.map(({ id, text }) => printable(mask(`  ${id}: ${text}`))));
  const first = findings[0]?.evidence[0];
  if (!first) return lines.join("\n");
  const again = `offers probe ${url.href}${sent === 0 || first.id.startsWith("check/") ? "" : ` --only ${first.id}`}`;
  const advice = "A signature in this report is valid for 5 minutes. After a change, probe again:";
  return [...lines, wrapText(advice, "", width), `  ${again}`].join("\n");
}

/** The result of a probe for a program. Secrets are masked. */
export function toJson(
  { sent, findings, notes: found, differences, skipped }: ProbeResult,
  url: ReceiverUrl,
  mask: Mask,
) {
  const casesOf = (evidence: Evidence[]) =>
    evidence.map((one) => ({
      id: one.id,
      title: one.title,
      result: mask(one.text),
      source: one.source,
      request: showRequest(one.sent, mask),
      command: toCommand(one.sent, url, mask),
      response: one.received ? showResponse(one.received, mask) : null,
    }));
  return {
    url: url.href,
    sent,
    findings: findings.map(({ defect, evidence }) => ({ defect, ...defects[defect], cases: casesOf(evidence) })),
    notes: found.map(({ note, evidence }) => ({ note, ...notes[note], cases: casesOf(evidence) })),
    differences: differences.map(({ id, text }) => ({ id, text: mask(text) })),
    skipped,
  };
}

/** Prints every case, a line for each. */
export function listCases(groups: readonly CorpusGroup[]): void {
  for (const { cases } of groups) for (const { id, title } of cases) console.log(`${id}  ${title}`);
}
