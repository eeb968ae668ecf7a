import type { Scheme } from "../../src/signature/sign-request.ts";
import type { FindingCode } from "../../src/vectors/vectors.ts";

export interface Defect {
  /** The value of the DEFECT variable. */
  name: string;
  scheme: Scheme;
  /** The findings that the probe must report. */
  expectedCodes: FindingCode[];
  /** The groups of cases that show the defect, for a short run. */
  groups: string[];
}

const bothSchemes: readonly Scheme[] = ["timestampDigest", "standardWebhooks"];

const defects: Record<string, { schemes?: readonly Scheme[]; expectedCodes: FindingCode[]; group: string }> = {
  no_freshness: { expectedCodes: ["old_timestamp_accepted", "future_timestamp_accepted"], group: "freshness" },
  one_direction: { expectedCodes: ["future_timestamp_accepted"], group: "freshness" },
  prefix_compare: { expectedCodes: ["partial_comparison"], group: "digests" },
  second_header_wins: { schemes: ["timestampDigest"], expectedCodes: ["duplicate_header_accepted"], group: "headers" },
  // The documented scheme does not sign the body.
  reserialised_json: { schemes: ["standardWebhooks"], expectedCodes: ["serialised_body"], group: "searches" },
  empty_secret: { expectedCodes: ["empty_secret_accepted"], group: "digests" },
  error_on_bad_signature: { expectedCodes: ["error_on_bad_signature"], group: "digests" },
  body_unlimited: { expectedCodes: ["any_size_accepted"], group: "searches" },
  method_ignored: { expectedCodes: ["any_method_accepted"], group: "methods" },
  path_confusion: { expectedCodes: ["path_confusion"], group: "routes" },
};

/** Ten defects, each with every scheme in which it is possible. */
export const defectCases: readonly Defect[] = [
  ...Object.entries(defects).flatMap(([name, { schemes = bothSchemes, expectedCodes, group }]) =>
    schemes.map((scheme) => ({
      name,
      scheme,
      expectedCodes,
      groups: scheme === "standardWebhooks" ? [group, "standard"] : [group],
    })),
  ),
  // Standard Webhooks also signs the id header.
  {
    name: "second_header_wins",
    scheme: "standardWebhooks",
    expectedCodes: ["second_id_accepted", "duplicate_header_accepted"],
    groups: ["headers", "standard"],
  },
];

const signatureHeaders: readonly [header: string, scheme: Scheme, expectedCode: FindingCode][] = [
  ["timestamp", "timestampDigest", "second_timestamp_accepted"],
  ["authorization", "timestampDigest", "duplicate_header_accepted"],
  ["webhook-id", "standardWebhooks", "second_id_accepted"],
  ["webhook-timestamp", "standardWebhooks", "second_timestamp_accepted"],
  ["webhook-signature", "standardWebhooks", "duplicate_header_accepted"],
];

/** Receivers that verify the signature with one value of a repeated header, and check the age with the other. */
export const ambiguousHeaders: readonly Defect[] = signatureHeaders.flatMap(([header, scheme, expectedCode]) =>
  ["first_of_two", "last_of_two", "first_of_joined", "last_of_joined"].map((choice) => ({
    name: `${choice}:${header}`,
    scheme,
    expectedCodes: [expectedCode],
    groups: scheme === "standardWebhooks" ? ["standard"] : ["headers"],
  })),
);
