import { type CollectedSpan, getAttribute } from "./collector.ts";

/** A span with its position in a tree. */
interface Branch {
  span: CollectedSpan;
  /** 0 if the span has no parent, or its parent was not collected because the parent's process was killed. */
  depth: number;
  /** For each level down to the span: whether a sibling follows, so that the tree's vertical line continues. */
  hasNextSibling: readonly boolean[];
}

/** Lists the spans of a trace, each followed by its children, oldest first. */
function toBranches(spans: readonly CollectedSpan[]): Branch[] {
  const spanIds = new Set(spans.map(({ spanId }) => spanId));
  const findChildren = ({ spanId }: CollectedSpan) => spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  const toSubtrees = (siblings: readonly CollectedSpan[], ancestorsHaveSibling: readonly boolean[]): Branch[] =>
    siblings.flatMap((span, index) => {
      const hasNextSibling = [...ancestorsHaveSibling, index < siblings.length - 1];
      return [
        { span, depth: ancestorsHaveSibling.length, hasNextSibling },
        ...toSubtrees(findChildren(span), hasNextSibling),
      ];
    });
  return toSubtrees(
    spans.filter(({ parentSpanId }) => !parentSpanId || !spanIds.has(parentSpanId)),
    [],
  );
}

const isError = ({ status }: CollectedSpan): boolean => status?.code === 2;

/** Finds the offer's trace with the most errors, or of these the one with the most spans. @returns its spans, oldest first */
export function findMostEventfulOffer(spans: readonly CollectedSpan[]): CollectedSpan[] {
  const traces = spans
    .filter(({ name }) => name === "CreateOffer")
    .map((root) => spans.filter(({ traceId }) => traceId === root.traceId));
  const countErrors = (trace: readonly CollectedSpan[]) => trace.filter(isError).length;
  traces.sort((a, b) => countErrors(b) - countErrors(a) || b.length - a.length);
  return traces[0] ?? [];
}

const toMilliseconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;

/** Returns how long a span took, and how long after the trace's first span it started, in milliseconds. */
function getRelativeTimes({ startTimeUnixNano, endTimeUnixNano }: CollectedSpan, first: CollectedSpan) {
  const start = BigInt(startTimeUnixNano);
  return {
    offsetMs: toMilliseconds(start - BigInt(first.startTimeUnixNano)),
    durationMs: toMilliseconds(BigInt(endTimeUnixNano) - start),
  };
}

/** Returns the response's status, or why there was no response. */
const formatOutcome = ({ attributes }: CollectedSpan): string =>
  getAttribute(attributes, "http.response.status_code") ?? getAttribute(attributes, "error.type") ?? "";

/**
 * Formats a trace as a tree with each span's name, outcome, service, start and duration. `…` precedes a span whose parent
 * was not collected.
 */
export function formatTree(spans: readonly CollectedSpan[]): string {
  const [first] = spans;
  if (!first) return "no offer was created";
  const rows = toBranches(spans).map(({ span, depth, hasNextSibling }) => {
    const lines = hasNextSibling.slice(1, -1).map((hasNext) => (hasNext ? "│  " : "   "));
    const branch = depth > 0 ? (hasNextSibling.at(-1) ? "├─ " : "└─ ") : span.parentSpanId ? "… " : "";
    const { offsetMs, durationMs } = getRelativeTimes(span, first);
    const name = [lines.join(""), branch, [span.name, formatOutcome(span)].filter(Boolean).join(" ")].join("");
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
