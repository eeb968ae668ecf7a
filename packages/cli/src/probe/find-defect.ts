import { type CorpusCase, type Step, stepsOf } from "../corpus/corpus.ts";
import type { DefectCode } from "./defects.ts";
import { essentialCases, rawBodyCases } from "./essential-cases.ts";
import type { CaseOutcome, Mistake, Status } from "./judge.ts";

/**
 * The defect that a mistake shows (D-104). The corpus is stricter than a receiver must be: undefined for a mistake that is only a
 * difference, such as a 403 for a 401, or a spelling that is accepted although no one can send it without the secret.
 */
export function findDefect(each: CorpusCase, mistake: Mistake, outcome: CaseOutcome): DefectCode | undefined {
  if (mistake.kind === "leak") return "secret_leaked";
  if (mistake.kind === "handled") return "wrong_handling";
  if (mistake.kind === "problem") return problemDefect(each, outcome);
  if (mistake.kind !== "status" || mistake.got === undefined || mistake.step === undefined) return undefined;
  const step = stepsOf(each)[mistake.step];
  return step && statusDefect(each, step, mistake.allowed ?? [], mistake.got);
}

function problemDefect(each: CorpusCase, { problem }: CaseOutcome): DefectCode | undefined {
  const { id } = each;
  // A server may wait for the rest of what is no complete request to it. When the connection ends before it, Fastify sends a
  // second response.
  if (isMalformed(each) || isIncomplete(id)) return problem === "response_too_large" ? "unusual_response" : undefined;
  if (problem !== "no_response") return "unusual_response";
  return isOversized(id) ? "any_size_accepted" : "no_response";
}

function statusDefect(each: CorpusCase, step: Step, allowed: Status[], got: Status): DefectCode | undefined {
  const { id } = each;
  if (isSuccess(got)) return allowed.some(isSuccess) ? undefined : acceptedDefect(each, step, allowed);
  if (isServerError(got))
    return allowed.includes(401) || isAboutSignature(id) ? "error_on_bad_signature" : "server_error";
  // Whether bytes that are no HTTP get a 400, a 501 or none is left to the server.
  if (id.startsWith("http/") || allowed.includes("closed")) return undefined;
  // PHP's own server closes a connection whose body does not come.
  if (got === "closed")
    return allowed.includes(400) || allowed.includes(413) || isIncomplete(id) ? undefined : "no_response";
  // Of all endpoints only the two checks are mandatory.
  if (!allowed.some(isSuccess) || (got === 404 && !JSON.stringify(step.request.target ?? "/test").includes("/test")))
    return undefined;
  if (rawBodyCases.has(id) && (got === 401 || got === 403)) return "serialised_body";
  return essentialCases.has(id) ? "valid_request_refused" : undefined;
}

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

function unverifiedDefect(id: string, { reason, sign = {} }: Step): DefectCode | undefined {
  if (emptySecretCases.test(id)) return "empty_secret_accepted";
  if (partCases.test(id)) return "partial_comparison";
  switch (reason) {
    case "timestamp_out_of_tolerance":
      return (sign.offsetMs ?? 0) > 0 || (sign.shiftMinutes ?? 0) > 0 || id.endsWith("year-9999")
        ? "future_timestamp_accepted"
        : "old_timestamp_accepted";
    case "duplicate_header":
      // Two equal headers, or an empty one beside a valid one, leave no doubt.
      return /equal|trailing-comma|leading-comma|empty/.test(id) ? undefined : "duplicate_header_accepted";
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

/** Whether its bytes are unusual or no HTTP at all. */
export const isMalformed = (each: CorpusCase): boolean =>
  each.id.startsWith("http/") || stepsOf(each).some(({ request }) => request.raw !== undefined);

const isSuccess = (status: Status): boolean => status !== "closed" && status >= 200 && status < 300;

/** Other than by not knowing a method, a transfer coding or a version of HTTP. */
const isServerError = (status: Status): boolean =>
  status !== "closed" && status >= 500 && status !== 501 && status !== 505;

/** Also where the corpus accepts an unusual signature: a receiver that is stricter must refuse it as any other. */
const isAboutSignature = (id: string): boolean => /^(digests|headers|timestamps|standard)\//.test(id);

const emptySecretCases = /\/(timestamp-alone|empty-key|empty-input|word-undefined|word-undefined-key)$/;

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

const isOversized = (id: string): boolean => /^searches\/(of-16-mib|declared-gigabyte)/.test(id);
