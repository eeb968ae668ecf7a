import type { StoreUnderTest } from "../../examples/platform/test/support/stores/stores.ts";
import { ForkedProcess } from "../../tools/processes/forked-process.ts";
import { type Comparison, compare } from "../comparison.ts";
import { collectSamples } from "../samples.ts";
import type { SuiteOptions } from "../suite.ts";
import { makeBacklog } from "./backlog.ts";

/** What a recipient of an offer costs, from the creation until all notifications are sent: the same, however many there are. */
export async function measureRecipients(
  { title: store, createPlace }: StoreUnderTest,
  { quick }: SuiteOptions,
): Promise<Comparison> {
  const place = await createPlace();
  await makeBacklog(place, { endpoints: 1, events: 0, workers: 10_000, baseAddress: "http://127.0.0.1:1" });
  const child = new ForkedProcess(new URL("fan-out.ts", import.meta.url), JSON.stringify(place.options));
  await child.message();
  const candidates = [10, 100, 1_000, 10_000, 1].map((recipients) => ({
    label:
      recipients === 1
        ? "the offer itself, to one recipient"
        : `each further one of ${recipients.toLocaleString("en-GB")} recipients`,
    measure: () => child.request<number>(recipients),
  }));
  const [samples] = await collectSamples(candidates, quick ? 1 : 7, async (candidate) => [await candidate.measure()]);
  await child.stop();
  await place.remove();
  const title = `An offer on ${store}, until its last notification is sent`;
  return compare({ title, unit: "µs", better: "lower" }, samples);
}
