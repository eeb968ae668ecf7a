import { type CorpusCase, type Step, stepsOf } from "../corpus/corpus.ts";
import { endpointOf } from "../corpus/select-cases.ts";
import type { DefectCode, NoteCode } from "./defects.ts";
import type { CaseOutcome, Mistake, Status } from "./judge.ts";
import { isSuggestionList } from "./suggestions.ts";

/**
 * Requests that the service sends as they are, or that reach a receiver through an ordinary proxy, each with the name of its
 * refusal. A receiver that refuses one loses events. All other valid requests of the corpus are spellings that no known sender
 * uses: a receiver may be stricter there.
 */
const essentialCases: ReadonlyMap<string, DefectCode> = new Map([
  ...["digests/appended-upper", "headers/plain", "timestamps/millisecond", "methods/test-get"].map(named()),
  ...["headers/other-order", "headers/among-others", "payloads/search-plain", "routes/worker-plain"].map(named()),
  ...["bodies/plain", "bodies/type-json"].map(named()),
  ...["standard/plain", "standard/search"].map(named()),
  ...["standard/two-signatures-good-first", "standard/two-signatures-good-last"].map(named()),
  ...["headers/lower-case-names", "standard/capital-names"].map(named("header_case_matters")),
  ...["timestamps/second", "timestamps/minute", "digests/minute-precision-appended"].map(named("precision_refused")),
  ...["freshness/four-minutes-old", "freshness/four-minutes-ahead"].map(named("tolerance_too_small")),
  ...["standard/four-minutes-old", "standard/four-minutes-ahead"].map(named("tolerance_too_small")),
  ...["bodies/in-chunks", "searches/in-chunks"].map(named("chunked_body_refused")),
  ...["bodies/type-charset", "searches/type-charset"].map(named("media_type_refused")),
  ...["bodies/unknown-fields", "payloads/search-unknown-fields"].map(named("unknown_fields_refused")),
  ...["bodies/any-script", "searches/any-script"].map(named("other_scripts_refused")),
  ["payloads/search-no-filter", "optional_field_required"],
  ...["replays/same-bytes-twice", "replays/fresh-signature"].map(named("duplicate_refused")),
]);

function named(defect: DefectCode = "valid_request_refused") {
  return (id: string): [string, DefectCode] => [id, defect];
}

/** Bodies whose meaning survives parsing and serialising, and whose bytes may not. */
const rawBodyCases: ReadonlySet<string> = new Set([
  "searches/indented",
  "searches/escaped-letters",
  "searches/escaped-slash",
  "searches/other-order",
  "searches/other-numbers",
  "searches/any-script",
  "payloads/search-unknown-fields",
]);

/**
 * The defect that a mistake shows (D-104). The corpus is stricter than a receiver must be: undefined for a mistake that costs
 * nothing, such as a 403 for a 401, or a spelling that is accepted although no one can send it without the secret.
 */
export function findDefect(each: CorpusCase, mistake: Mistake, outcome: CaseOutcome): DefectCode | undefined {
  const { kind, step: index = 0, allowed = [], got } = mistake;
  const step = stepsOf(each)[index];
  if (kind === "leak") return "secret_leaked";
  if (kind === "handled") return "wrong_handling";
  if (kind === "problem") return problemDefect(each, outcome);
  if (kind === "body") {
    const body = outcome.responses[index]?.body ?? "";
    return isSuggestionList(body) ? undefined : "invalid_suggestions";
  }
  if (kind !== "status" || got === undefined || !step) return undefined;
  if (got === 410 && endpointOf(step.request) !== undefined) return "endpoint_disabled";
  if (allowed.some(isSuccess)) return refusedDefect(each, index, step, allowed, got);
  if (isSuccess(got)) return acceptedDefect(each, step, allowed);
  if (isServerError(got)) return errorDefect(each.id, allowed);
  // PHP's own server closes a connection whose body does not come. Bytes that are no HTTP need no response.
  const isClosedRightly = [400, 413, "closed"].some((status) => allowed.includes(status as Status));
  if (got !== "closed" || each.id.startsWith("http/") || isClosedRightly || isIncomplete(each.id)) return undefined;
  return "no_response";
}

/** A difference that costs nothing and that is worth a change all the same. */
export function findNote({ id }: CorpusCase, step: Step | undefined, { kind, got }: Mistake): NoteCode | undefined {
  if (kind === "refusal") return "distinct_refusals";
  const isRefused = kind === "status" && typeof got === "number" && got >= 400 && got < 500;
  const isOrdinary = id.startsWith("digests/") && step?.reason === "signature_mismatch";
  return isRefused && isOrdinary && got !== 403 ? "unusual_refusal" : undefined;
}

function problemDefect(each: CorpusCase, { problem }: CaseOutcome): DefectCode | undefined {
  const { id } = each;
  // A server may wait for the rest of what is no complete request to it. When the connection ends before it, Fastify sends a
  // second response.
  if (isMalformed(each) || isIncomplete(id)) return problem === "response_too_large" ? "unusual_response" : undefined;
  if (problem !== "no_response") return "unusual_response";
  return isOversized(id) ? "any_size_accepted" : "no_response";
}

/** The defect of a receiver that refuses, or does not acknowledge, what it must accept. */
function refusedDefect(
  { id }: CorpusCase,
  index: number,
  step: Step,
  allowed: Status[],
  got: Status,
): DefectCode | undefined {
  // HEAD and other methods are never sent by the service.
  const isSent = ["GET", "POST"].includes(step.request.method ?? "GET");
  if (isSuccess(got)) return allowed.includes(200) && isSent ? "wrong_success_status" : undefined;
  const essential = essentialCases.get(id);
  if (essential !== undefined && typeof got === "number" && got >= 300 && got < 400) return "redirected";
  if (rawBodyCases.has(id) && (got === 401 || got === 403)) return "serialised_body";
  if (essential === "duplicate_refused" && index === 0) return "valid_request_refused";
  if (essential !== undefined && essential !== "valid_request_refused") return essential;
  if (isServerError(got)) return errorDefect(id, allowed);
  if (essential !== undefined && got === "closed") return "no_response";
  return essential;
}

const errorDefect = (id: string, allowed: Status[]): DefectCode =>
  allowed.includes(401) || isAboutSignature(id) ? "error_on_bad_signature" : "server_error";

/** The defect of a receiver that responds with success to what it must refuse. */
function acceptedDefect({ id }: CorpusCase, step: Step, allowed: Status[]): DefectCode | undefined {
  if (isOversized(id)) return "any_size_accepted";
  if (allowed.includes(401)) return unverifiedDefect(id, step);
  const { method = "GET" } = step.request;
  // HEAD is GET without a body (RFC 9110, section 9.3.2), and many frameworks respond to OPTIONS themselves.
  if (allowed.includes(405)) return ["HEAD", "OPTIONS"].includes(method) ? undefined : "any_method_accepted";
  if (allowed.includes(404)) return isOtherSpelling(id) ? undefined : "any_path_accepted";
  return undefined;
}

function unverifiedDefect(id: string, step: Step): DefectCode | undefined {
  if (emptySecretCases.test(id)) return "empty_secret_accepted";
  if (partCases.test(id)) return "partial_comparison";
  switch (step.reason) {
    case "timestamp_out_of_tolerance":
      return zoneCases.test(id) ? "zone_ignored" : staleDefect(id, step);
    case "duplicate_header":
      // The signed timestamp is too old, so the other one was taken for its age.
      if ((step.sign?.offsetMs ?? 0) < 0) return "second_timestamp_accepted";
      if (id.startsWith("standard/id-")) return "second_id_accepted";
      // Two equal headers, or an empty one beside a valid one, leave no doubt; a date of HTTP has a comma of its own.
      return /http-date|equal|trailing-comma|leading-comma|empty/.test(id) ? undefined : "duplicate_header_accepted";
    case "signature_mismatch":
      return "wrong_signature_accepted";
    // With a valid signature in it, so that only its holder can send it.
    case "malformed_authorization":
    case "malformed_timestamp":
    case "malformed_signature":
      return harmlessSpelling.test(id) ? undefined : "wrong_signature_accepted";
    case undefined:
      if (id.startsWith("routes/")) return "path_confusion";
      return /^(headers|timestamps)\//.test(id) ? undefined : "unsigned_accepted";
    default:
      return "unsigned_accepted";
  }
}

/** What a signature of another time shows at a receiver that reads the zone. */
export const staleDefect = (id: string, { sign = {} }: Step): DefectCode =>
  (sign.offsetMs ?? 0) > 0 || (sign.shiftMinutes ?? 0) > 0 || id.endsWith("year-9999")
    ? "future_timestamp_accepted"
    : "old_timestamp_accepted";

/** Whether its bytes are unusual or no HTTP at all. */
export const isMalformed = (each: CorpusCase): boolean =>
  each.id.startsWith("http/") || stepsOf(each).some(({ request }) => request.raw !== undefined);

const isSuccess = (status: Status): boolean => status !== "closed" && status >= 200 && status < 300;

/** Other than by not knowing a method, a transfer coding or a version of HTTP. */
const isServerError = (status: Status): boolean =>
  status !== "closed" && status >= 500 && status !== 501 && status !== 505;

/** Also where the corpus accepts an unusual signature: a receiver that is stricter must refuse it as any other. */
const isAboutSignature = (id: string): boolean => /^(digests|headers|timestamps|standard)\//.test(id);

/** Digits that are right in another zone than the one that the Timestamp names. */
const zoneCases = /^timestamps\/zone-left-out|^freshness\/local-hands/;

const emptySecretCases =
  /^(digests|standard)\/(timestamp-alone|empty-key|empty-input|word-undefined|word-undefined-key)$/;

const partCases = /\/(\d\d?-digits|\d\d?-characters?|40-good-characters|garbage-after|last-digit-g|empty-signature)$/;

/** Malformed headers that no one without the secret can send. */
const harmlessSpelling =
  /^(timestamps|headers)\/|^digests\/(0x|base64|quotes|single-|angle|percent|semicolon|parameter|named|equals|colon|no-s|tab|scheme|space-|dashes|garbage-after-space|128|sha256-equals|digit-before)|hexadecimal|no-version|version-2/;

/** Routers ignore case, slashes at the end and encodings, which is no defect as long as the signature is verified. */
const isOtherSpelling = (id: string): boolean =>
  /^routes\/(capitals|event-deleted-small|encoded|dot|single-dot|backslash|none-(encoded|inner|two-trailing|semicolon|space|nul|extension|question))/.test(
    id,
  );

/** Whether it declares a body and does not send it. */
const isIncomplete = (id: string): boolean => id.includes("/declared-");

const isOversized = (id: string): boolean => /^(searches|bodies)\/(of-16-mib|declared-gigabyte)/.test(id);
