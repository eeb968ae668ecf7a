import { type Mask, plural, type Style, styleFor, toPrintable, widthOf, wrapText } from "../terminal/output.ts";
import { findings as catalogue, type Explanation, type VectorGroup } from "../vectors/vectors.ts";
import type { ReceiverUrl } from "../wire/receiver-url.ts";
import { formatRequest, formatResponse, toCommand } from "../wire/show-exchange.ts";
import type { Evidence, Finding } from "./explain.ts";
import type { ProbeResult } from "./probe.ts";

export interface ReportOptions {
  url: ReceiverUrl;
  mask: Mask;
  /** Whether to print all notes instead of only their number. */
  showNotes: boolean;
  /** Whether notes count as findings. */
  isStrict: boolean;
  /** Whether all other differences from the test vectors count too. */
  isExact: boolean;
}

/** Counts the findings, notes and differences that make the command exit with 1. */
export function countReported(
  result: ProbeResult,
  { isStrict, isExact }: Pick<ReportOptions, "isStrict" | "isExact">,
): number {
  const { defects, notes, differences } = groupBySeverity(result);
  return defects.length + (isStrict ? notes.length : 0) + (isExact ? differences.length : 0);
}

/** Groups the findings by severity. Differences are listed by case. */
function groupBySeverity({ findings }: ProbeResult) {
  const withSeverity = (severity: Finding["severity"]) => findings.filter((finding) => finding.severity === severity);
  return {
    defects: withSeverity("defect"),
    notes: withSeverity("note"),
    differences: withSeverity("difference").flatMap(({ evidence }) => evidence),
  };
}

/** Prints a probe report in readable form. */
export function printReport(result: ProbeResult, options: ReportOptions, stream: NodeJS.WriteStream): void {
  const style = styleFor(stream);
  const width = widthOf(stream);
  const { defects, notes } = groupBySeverity(result);
  const shownFindings = [...defects, ...(options.showNotes ? notes : [])];
  const sections = shownFindings.map(({ code, severity, evidence }, index) => {
    const explanation = catalogue[code];
    const isNote = severity === "note";
    const heading = `${isNote ? "Note: " : `${index + 1}. `}${explanation.title}`;
    const title = `${style(["bold", isNote ? "yellow" : "red"], heading)} ${style("dim", `(${code})`)}`;
    return [title, ...formatFinding(explanation, evidence, options, style, width)].join("\n");
  });
  stream.write(`${[...sections, formatSummary(result, options, style, width)].join("\n\n")}\n`);
}

function formatFinding(
  { why, change, line }: Explanation,
  evidence: Evidence[],
  { url, mask }: ReportOptions,
  style: Style,
  width: number,
): string[] {
  const [first] = evidence;
  if (!first) return [];
  const command = toCommand(first.sent, url, mask);
  const block = (label: string, text: string) => [style("bold", `   ${label}`), indent(text)];
  // Only the first case is shown in full, and at most three others in one line each.
  const others = evidence.slice(1, 4).map(({ id, text }) => `${id}: ${text}`);
  if (evidence.length > 4) others.push(`and ${evidence.length - 4} more`);
  return [
    wrapText(`Why it matters: ${why}`, "   ", width),
    wrapText(`Change: ${change}`, "   ", width),
    ...(line === undefined ? [] : block("A line like this is often the cause", line)),
    "",
    `   Case: ${first.id}`,
    wrapText(`Expected: ${first.title}`, "   ", width),
    wrapText(toPrintable(mask(`Result: ${first.text}`)), "   ", width),
    ...(first.source === undefined ? [] : [style("dim", wrapText(`Source: ${first.source}`, "   ", width))]),
    ...block("Sent", formatRequest(first.sent, mask)),
    ...block("Received", formatResponse(first.received, mask)),
    ...(command === undefined ? [] : block("Send it again", toPrintable(command))),
    ...(others.length > 0 ? block("Also", others.join("\n")) : []),
  ];
}

const indent = (text: string): string => text.replaceAll(/^/gm, "     ");

function formatSummary(result: ProbeResult, options: ReportOptions, style: Style, width: number): string {
  const { sent, skipped } = result;
  const { defects, notes, differences } = groupBySeverity(result);
  const { url, mask, showNotes, isStrict, isExact } = options;
  const countText = [
    ...(defects.length > 0 ? [plural(defects.length, "finding")] : []),
    ...(isStrict && notes.length > 0 ? [plural(notes.length, "note")] : []),
    ...(isExact && differences.length > 0 ? [`${plural(differences.length, "difference")} from the test vectors`] : []),
  ].join(" and ");
  const verdict = countText === "" ? style(["bold", "green"], "No findings") : style(["bold", "red"], countText);
  const scope = sent === 0 && defects.length > 0 ? "in the service's own checks" : `in ${plural(sent, "case")}`;
  const lines = [`${verdict} ${scope} at ${url.href}.`];
  for (const { reason, count } of skipped)
    lines.push(wrapText(`Skipped ${plural(count, "case")}: ${reason}.`, "", width));
  if (notes.length > 0 && !showNotes)
    lines.push(wrapText(`${plural(notes.length, "note")} on harmless differences; --notes prints them.`, "", width));
  if (isExact) lines.push(...differences.map(({ id, text }) => toPrintable(mask(`  ${id}: ${text}`))));
  const firstEvidence = defects[0]?.evidence[0];
  if (!firstEvidence) return lines.join("\n");
  // A check is not a case, so --only cannot select it.
  const isCheck = sent === 0 || firstEvidence.id.startsWith("check/");
  const nextCommand = `offers probe ${url.href}${isCheck ? "" : ` --only ${firstEvidence.id}`}`;
  const advice = "The signatures in this report are valid for 5 minutes. After a change, probe again:";
  return [...lines, wrapText(advice, "", width), `  ${nextCommand}`].join("\n");
}

/** Returns the object that `--json` prints, with secrets masked. */
export function toJsonReport(result: ProbeResult, url: ReceiverUrl, mask: Mask) {
  const { defects, notes, differences } = groupBySeverity(result);
  const toCases = (evidence: Evidence[]) =>
    evidence.map((item) => ({
      id: item.id,
      title: item.title,
      result: mask(item.text),
      source: item.source,
      request: formatRequest(item.sent, mask),
      command: toCommand(item.sent, url, mask),
      response: item.received ? formatResponse(item.received, mask) : null,
    }));
  const explainFinding = ({ code, evidence }: Finding) => ({ code, ...catalogue[code], cases: toCases(evidence) });
  return {
    url: url.href,
    sent: result.sent,
    findings: defects.map(explainFinding),
    notes: notes.map(explainFinding),
    differences: differences.map(({ id, text }) => ({ id, text: mask(text) })),
    skipped: result.skipped,
  };
}

/** Prints every case, one per line. */
export function printCases(groups: readonly VectorGroup[]): void {
  for (const { cases } of groups) for (const { id, title } of cases) console.log(`${id}  ${title}`);
}
