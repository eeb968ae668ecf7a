import type { Scheme } from "../../src/corpus/scheme.ts";
import type { DefectCode } from "../../src/probe/defects.ts";

export interface PlantedDefect {
  /** The value of DEFECT. */
  name: string;
  scheme: Scheme;
  /** What the probe must find. */
  found: DefectCode[];
}

const both: readonly Scheme[] = ["timestampDigest", "standardWebhooks"];

const planted: Record<string, { schemes?: readonly Scheme[]; found: DefectCode[] }> = {
  no_freshness: { found: ["old_timestamp_accepted", "future_timestamp_accepted"] },
  one_direction: { found: ["future_timestamp_accepted"] },
  prefix_compare: { found: ["partial_comparison"] },
  second_header_wins: { found: ["duplicate_header_accepted"] },
  // The documented scheme signs no body.
  reserialised_json: { schemes: ["standardWebhooks"], found: ["serialised_body"] },
  empty_secret: { found: ["empty_secret_accepted"] },
  error_on_bad_signature: { found: ["error_on_bad_signature"] },
  body_unlimited: { found: ["any_size_accepted"] },
  method_ignored: { found: ["any_method_accepted"] },
  path_confusion: { found: ["path_confusion"] },
};

/** Ten classes of defects, each under every scheme in which it can exist. */
export const plantedDefects: readonly PlantedDefect[] = Object.entries(planted).flatMap(
  ([name, { schemes = both, found }]) => schemes.map((scheme) => ({ name, scheme, found })),
);
