/**
 * Requests that the service sends as they are, or that reach a receiver through an ordinary proxy. A receiver that refuses one loses
 * events. All other valid requests of the corpus are spellings that no known sender uses: a receiver may be stricter there.
 */
export const essentialCases: ReadonlySet<string> = new Set([
  ...["digests/appended-upper", "digests/minute-precision-appended"],
  ...["headers/plain", "headers/lower-case-names", "headers/other-order", "headers/among-others"],
  ...["timestamps/millisecond", "timestamps/second", "timestamps/minute"],
  ...["freshness/four-minutes-old", "freshness/four-minutes-ahead"],
  "methods/test-get",
  ...["payloads/search-plain", "payloads/search-no-filter", "payloads/search-unknown-fields"],
  ...["bodies/plain", "bodies/type-json", "bodies/type-charset", "bodies/any-script", "bodies/unknown-fields"],
  ...["routes/worker-plain", "replays/same-bytes-twice", "replays/fresh-signature"],
  ...["standard/plain", "standard/capital-names", "standard/search", "standard/two-signatures-good-first"],
  ...["standard/two-signatures-good-last", "standard/four-minutes-old", "standard/four-minutes-ahead"],
]);

/** Bodies whose meaning survives parsing and serialising, and whose bytes may not. */
export const rawBodyCases: ReadonlySet<string> = new Set([
  ...["searches/indented", "searches/escaped-letters", "searches/escaped-slash", "searches/other-order"],
  ...["searches/other-numbers", "searches/any-script", "payloads/search-unknown-fields"],
]);
