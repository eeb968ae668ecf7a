import type { Bucket, DeliveryStats } from "../../portal/deliveries/delivery-stats.ts";
import { dataTable } from "../layout/data-table.ts";
import { formatCount } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { LocalTimes } from "../layout/time.ts";

const plotWidth = 600;
const plotHeight = 90;
const gap = 3;

/**
 * Renders the attempts and the lag as bar charts with summaries, and as a table.
 *
 * @param period the period in words, such as `the last hour`
 */
export function deliveryChart(times: LocalTimes, { buckets, total }: DeliveryStats, period: string): Markup {
  const failureSummary = `${failurePercentage(total)} failed: ${total.failed} of ${formatCount(total.attempts, "attempt")}`;
  const lagSummary =
    total.medianLagMs === null
      ? "nothing was acknowledged"
      : `half within ${formatDuration(total.medianLagMs)}, the slowest after ${formatDuration(total.slowestLagMs)}`;
  if (total.attempts === 0) return html`<p class="empty">No attempts in ${period}.</p>`;
  // The maximums are at least 1, because other values are divided by them.
  const maxAttempts = Math.max(1, ...buckets.map(({ attempts }) => attempts));
  const maxMedianLagMs = Math.max(1, ...buckets.map(({ medianLagMs }) => medianLagMs ?? 0));
  return html`
    <div class="charts">
      <figure>
        <figcaption><strong>Attempts</strong> <span class="measure">${failureSummary}</span></figcaption>
        ${plot(
          `Attempts in ${period}: ${failureSummary}.`,
          { buckets, times, maxLabel: String(maxAttempts) },
          ({ attempts, failed }, column) => {
            const acknowledgedShare = (attempts - failed) / maxAttempts;
            return [
              bar(column, { bottom: 0, share: acknowledgedShare }, "ok"),
              bar(column, { bottom: acknowledgedShare, share: failed / maxAttempts }, "failed"),
            ];
          },
        )}
        <p class="legend fine"><span class="key ok"></span> acknowledged <span class="key failed"></span> failed</p>
      </figure>
      <figure>
        <figcaption><strong>Lag</strong> <span class="measure">${lagSummary}</span></figcaption>
        ${plot(
          `From event to acknowledgement in ${period}: ${lagSummary}.`,
          { buckets, times, maxLabel: formatDuration(maxMedianLagMs) },
          // Even a short lag gets a visible bar.
          ({ medianLagMs }, column) =>
            medianLagMs === null
              ? undefined
              : bar(column, { bottom: 0, share: Math.max(0.03, medianLagMs / maxMedianLagMs) }, "lag"),
        )}
        <p class="legend fine"><span class="key lag"></span> median from event to acknowledgement</p>
      </figure>
    </div>
    ${chartTable(times.time, buckets)}`;
}

interface Axes {
  buckets: readonly Bucket[];
  times: LocalTimes;
  /** The label at the top of the vertical axis. */
  maxLabel: string;
}

/** The horizontal position of a bar. */
interface PlotColumn {
  x: number;
  width: number;
}

/** Renders bars with labelled axes. The labels are HTML, because the image is stretched. */
function plot(
  label: string,
  { buckets, times, maxLabel }: Axes,
  draw: (bucket: Bucket, column: PlotColumn) => unknown,
): Markup {
  const step = plotWidth / buckets.length;
  const [first, middle] = [buckets[0], buckets[Math.floor(buckets.length / 2)]];
  return html`
        <div class="plot">
        <p class="scale fine" aria-hidden="true"><span>${maxLabel}</span><span>0</span></p>
        <svg viewBox="0 0 ${plotWidth} ${plotHeight + 1}" role="img" aria-label="${label}" preserveAspectRatio="none" class="bars">
          <line x1="0" x2="${plotWidth}" y1="${plotHeight + 0.5}" y2="${plotHeight + 0.5}" class="axis" />
          ${buckets.map((bucket, index) => draw(bucket, { x: index * step + gap / 2, width: step - gap }))}
        </svg>
        <p class="span fine" aria-hidden="true">${first && times.time(first.startsAt)} ${middle && times.time(middle.startsAt)} <span>now</span></p>
        </div>`;
}

/** Renders one bar. `bottom` and `share` are its lower edge and its height, as fractions of the plot's height. */
const bar = (
  { x, width }: PlotColumn,
  { bottom, share }: { bottom: number; share: number },
  cssClass: string,
): Markup | undefined =>
  share === 0
    ? undefined
    : html`<rect x="${x.toFixed(1)}" y="${(plotHeight * (1 - bottom - share)).toFixed(1)}" width="${width.toFixed(1)}" height="${(plotHeight * share).toFixed(1)}" class="${cssClass}" />`;

function chartTable(time: LocalTimes["time"], buckets: readonly Bucket[]): Markup {
  const rows = buckets.filter(({ attempts }) => attempts > 0).reverse();
  return html`
    <details id="chart-table">
      <summary>Show as a table</summary>
      ${
        rows.length === 0
          ? html`<p>No attempts were made.</p>`
          : dataTable({
              caption: "Attempts and lag by time",
              columns: [
                { heading: "From", cell: ({ startsAt }) => time(startsAt) },
                { heading: "Attempts", cell: ({ attempts }) => attempts },
                { heading: "Failed", cell: (bucket) => `${bucket.failed} (${failurePercentage(bucket)})` },
                { heading: "Median lag", cell: ({ medianLagMs }) => formatDuration(medianLagMs) },
                { heading: "Slowest", cell: ({ slowestLagMs }) => formatDuration(slowestLagMs) },
              ],
              rows,
            })
      }
    </details>`;
}

const failurePercentage = ({ attempts, failed }: { attempts: number; failed: number }): string =>
  attempts === 0 ? "0 %" : `${Math.round((failed / attempts) * 100)} %`;

function formatDuration(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${(ms / 60_000).toFixed(1)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}
