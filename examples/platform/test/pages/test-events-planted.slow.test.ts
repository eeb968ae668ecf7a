import { expect, test } from "vitest";
import type { Scheme } from "../../../../packages/cli/src/signature/sign-request.ts";
import { defectiveReceivers } from "../../../../packages/cli/test/probe/defective-receivers.ts";
import { runnable, startProgram } from "../../../../packages/cli/test/support/start-program.ts";
import { secrets, startReceiver } from "../../../../packages/cli/test/support/start-receiver.ts";
import { usePageClient, usePlatform } from "../support/use-opened.ts";

const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");

/** Returns the codes of the problems that the page reports. */
const extractCodes = (text: string) =>
  [...text.matchAll(/<span class="fine">([a-z_]+)<\/span><\/h3>/g)].map(([, code]) => code);

/** Defects that test events cannot find, because they require different framing, headers or addresses, or a body of 16 MiB. */
const undetectable =
  /chunked_body_refused|header_case_matters|trailing_slash_required|wrong_base_path|any_size_accepted|local time in UTC/;

/**
 * Returns the name of the event that reveals a defect. The Perl receiver's defects affect searches, except for those in its responses to
 * checks.
 */
function chooseEvent({ program, expectedCode, defect }: (typeof defectiveReceivers)[number]): string {
  if (expectedCode === "test_needs_authentication" || defect === "redirects /test") return "test";
  if (expectedCode === "auth_check_missing") return "test-auth";
  return program === "perl" ? "contact-suggestions" : "worker-offer-response";
}

const defectivePrograms = defectiveReceivers
  .filter(
    ({ program, expectedCode, defect }) =>
      runnable.includes(program) && !undetectable.test(`${expectedCode} ${defect}`),
  )
  .map((receiver) => ({
    defect: `${receiver.program} ${receiver.defect}`,
    expectedCode: receiver.expectedCode,
    event: chooseEvent(receiver),
    scheme: "timestampDigest" as Scheme,
    start: () => startProgram(receiver.program, receiver.edits, receiver.env),
  }));
const defectiveNodeReceivers = (
  [
    ["first_of_two:timestamp", "second_timestamp_accepted", "timestampDigest"],
    ["last_of_joined:authorization", "duplicate_header_accepted", "timestampDigest"],
    ["prefix_compare", "partial_comparison", "timestampDigest"],
    ["empty_secret", "empty_secret_accepted", "timestampDigest"],
    ["path_confusion", "path_confusion", "timestampDigest"],
    ["reserialised_json", "serialised_body", "standardWebhooks"],
    ["first_of_two:webhook-timestamp", "second_timestamp_accepted", "standardWebhooks"],
    ["one_direction", "future_timestamp_accepted", "standardWebhooks"],
  ] as const
).map(([defect, expectedCode, scheme]) => ({
  defect: `${scheme} ${defect}`,
  expectedCode,
  event: "worker-offer-response",
  scheme,
  start: () => startReceiver("node", scheme, defect),
}));

test.each([...defectivePrograms, ...defectiveNodeReceivers])(
  "a test event finds the defect $defect as $expectedCode [D-148]",
  async ({ expectedCode, event, scheme, start }) => {
    const { url, stop } = await start();
    const { text } = await hana.send("/company/test-event", {
      event,
      way: "every",
      baseAddress: url.href,
      secret: secrets[scheme],
      scheme: scheme === "timestampDigest" ? scheme : "timestampDigestAndStandardWebhooks",
    });
    await stop();
    const defects = extractCodes(text).filter((code) => code !== "unreadable_body_acknowledged");
    // A receiver that does not check the timestamp accepts future timestamps too.
    expect(defects).toEqual(
      expectedCode === "old_timestamp_accepted" ? [expectedCode, "future_timestamp_accepted"] : [expectedCode],
    );
  },
  30_000,
);

test("test events are checked against at least twenty defects", () =>
  expect(defectivePrograms.length + defectiveNodeReceivers.length).toBeGreaterThanOrEqual(20));
