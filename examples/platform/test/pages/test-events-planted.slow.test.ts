import { expect, test } from "vitest";
import { plantedInNode } from "../../../../packages/cli/test/probe/planted-in-node.ts";
import { startProgram } from "../../../../packages/cli/test/support/start-program.ts";
import { secrets, startReceiver } from "../../../../packages/cli/test/support/start-receiver.ts";
import { usePageClient, usePlatform } from "../support/use-opened.ts";

const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");

/** The findings of the page, by their codes. */
const codesOf = (text: string) =>
  [...text.matchAll(/<span class="fine">([a-z_]+)<\/span><\/h3>/g)].map(([, code]) => code);

/** In these a check shows the defect, or no test event at all. */
const checks: Readonly<Record<string, string>> = { test_needs_authentication: "test", redirected: "test" };
const isSeen = ({ defect }: { defect: string }) =>
  !/reads the Timestamp as local time in UTC|no date|any size|as JavaScript writes it/.test(defect);

const planted = plantedInNode.filter(isSeen).map(({ defect, edits, env, found }) => ({
  defect,
  found,
  start: () => startProgram("node", edits, env),
}));
const byName = [
  ["first_of_two:timestamp", "second_timestamp_accepted"],
  ["prefix_compare", "partial_comparison"],
  ["empty_secret", "empty_secret_accepted"],
].map(([defect = "", found = ""]) => ({
  defect,
  found,
  start: () => startReceiver("node", "timestampDigest", defect),
}));

test.each([...planted, ...byName])(
  "a receiver with one defect, $defect, is named by $found [D-148]",
  async ({ found, start }) => {
    const { url, stop } = await start();
    const event = checks[found] ?? "worker-offer-response";
    const { text } = await hana.send("/company/test-event", {
      event,
      way: "every",
      baseAddress: url.href,
      secret: secrets.timestampDigest,
    });
    await stop();
    const defects = codesOf(text).filter((code) => code !== "unreadable_body_acknowledged");
    // A receiver that checks no time accepts the future as well.
    expect(defects).toEqual(found === "old_timestamp_accepted" ? [found, "future_timestamp_accepted"] : [found]);
  },
  20_000,
);

test("at least twenty defects are planted", () => expect(planted.length + byName.length).toBeGreaterThanOrEqual(20));
