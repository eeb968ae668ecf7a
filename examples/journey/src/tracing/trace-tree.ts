import { type CollectedSpan, getAttribute } from "./collector.ts";

/** A span with its position in a tree. */
interface Branch {
  span: CollectedSpan;
  /** 0 if the span has no parent, or its parent was not collected because the parent's process was killed. */
  depth: number;
  /** For each level down to the span, whether a sibling follows. If so, the vertical line of that level continues below the span. */
  siblingFollowsAt: readonly boolean[];
}

/** Lists the spans of a trace, each followed by its children, oldest first. */
function toBranches(spans: readonly CollectedSpan[]): Branch[] {
  const spanIds = new Set(spans.map(({ spanId }) => spanId));
  const findChildren = ({ spanId }: CollectedSpan) => spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  const toSubtrees = (siblings: readonly CollectedSpan[], ancestorSiblingFollowsAt: readonly boolean[]): Branch[] =>
    siblings.flatMap((span, index) => {
      const siblingFollowsAt = [...ancestorSiblingFollowsAt, index < siblings.length - 1];
      return [
        { span, depth: ancestorSiblingFollowsAt.length, siblingFollowsAt },
        ...toSubtrees(findChildren(span), siblingFollowsAt),
      ];
    });
  return toSubtrees(
    spans.filter(({ parentSpanId }) => !parentSpanId || !spanIds.has(parentSpanId)),
    [],
  );
}

const isError = ({ status }: CollectedSpan): boolean => status?.code === 2;

/**
 * Finds the trace of an offer with the most errors. If several traces have the same number of errors, finds the longest of them.
 *
 * @returns the spans of the trace, oldest first; empty if no offer was created
 */
export function findMostEventfulTrace(spans: readonly CollectedSpan[]): CollectedSpan[] {
  const traces = spans
    .filter(({ name }) => name === "CreateOffer")
    .map((root) => spans.filter(({ traceId }) => traceId === root.traceId));
  const countErrors = (trace: readonly CollectedSpan[]) => trace.filter(isError).length;
  traces.sort((a, b) => countErrors(b) - countErrors(a) || b.length - a.length);
  return traces[0] ?? [];
}

const toMilliseconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;

/** Returns the duration of a span, and how long after the first span of the trace it started, in milliseconds. */
function getRelativeTimes({ startTimeUnixNano, endTimeUnixNano }: CollectedSpan, first: CollectedSpan) {
  const start = BigInt(startTimeUnixNano);
  return {
    offsetMs: toMilliseconds(start - BigInt(first.startTimeUnixNano)),
    durationMs: toMilliseconds(BigInt(endTimeUnixNano) - start),
  };
}

/** Returns the response status, or why there was no response. */
const formatOutcome = ({ attributes }: CollectedSpan): string =>
  getAttribute(attributes, "http.response.status_code") ?? getAttribute(attributes, "error.type") ?? "";

/** Formats the lines of the tree that lead to a span. `…` marks a span whose parent was not collected. */
function formatLines({ span, depth, siblingFollowsAt }: Branch): string {
  if (depth === 0) return span.parentSpanId ? "… " : "";
  // Roots have no lines, and the branch below represents the span itself.
  const ancestorLines = siblingFollowsAt.slice(1, -1).map((siblingFollows) => (siblingFollows ? "│  " : "   "));
  return `${ancestorLines.join("")}${siblingFollowsAt.at(-1) ? "├─ " : "└─ "}`;
}

/** Formats a trace as a tree. Each row shows a span with its outcome, service, start and duration. */
export function formatTree(spans: readonly CollectedSpan[]): string {
  const [first] = spans;
  if (!first) return "no offer was created";
  const rows = toBranches(spans).map((branch) => {
    const { span } = branch;
    const { offsetMs, durationMs } = getRelativeTimes(span, first);
    const name = `${formatLines(branch)}${`${span.name} ${formatOutcome(span)}`.trimEnd()}`;
    return [name, span.service, `+${(offsetMs / 1_000).toFixed(3)} s`, `${durationMs.toFixed(1)} ms`] as const;
  });
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [nameWidth = 0, serviceWidth = 0, offsetWidth = 0, durationWidth = 0] = widths;
  return rows
    .map(([name, service, offset, duration]) =>
      [
        name.padEnd(nameWidth),
        service.padEnd(serviceWidth),
        offset.padStart(offsetWidth),
        duration.padStart(durationWidth),
      ].join("  "),
    )
    .join("\n");
}
