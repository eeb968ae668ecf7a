import { expect, test } from "vitest";
import { localTimes } from "../layout/time.ts";
import { deliveryChart } from "./delivery-chart.ts";

test.each([
  [1, 1, "100 % failed: 1 of 1 attempt."],
  [2, 1, "50 % failed: 1 of 2 attempts."],
])("describes %i attempts of which %i failed", (attempts, failed, words) => {
  const bucket = { attempts, failed, medianLagMs: null, slowestLagMs: null };
  const startsAt = new Date("2027-03-05T17:00:00Z");
  const stats = { buckets: [{ ...bucket, startsAt }], total: bucket };
  expect(`${deliveryChart(localTimes("Europe/London"), stats, "the last hour")}`).toContain(
    `aria-label="Attempts in the last hour: ${words}"`,
  );
});
