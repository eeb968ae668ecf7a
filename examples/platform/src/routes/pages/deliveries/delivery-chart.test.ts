import { expect, test } from "vitest";
import { localTimes } from "../layout/time.ts";
import { deliveryChart } from "./delivery-chart.ts";

test.each([
  [1, 1, "100 % failed: 1 of 1 attempt."],
  [2, 1, "50 % failed: 1 of 2 attempts."],
])("labels the chart of %i attempts with the failure rate when %i failed", (attempts, failed, summary) => {
  const bucket = { attempts, failed, medianLagMs: null, slowestLagMs: null };
  const startsAt = new Date("2027-03-05T17:00:00Z");
  const stats = { buckets: [{ ...bucket, startsAt }], total: bucket };
  expect(`${deliveryChart(localTimes("Europe/London"), stats, "the last hour")}`).toContain(
    `aria-label="Attempts in the last hour: ${summary}"`,
  );
});
