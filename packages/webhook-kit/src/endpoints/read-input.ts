import { bodyTimeoutMs } from "../generated/decisions.ts";
import { createRejection } from "../http/rejected.ts";
import { duplicated, findHeader, type IncomingRequest, type ReceivedBody } from "../http/request.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";
import type { HandledEndpoint } from "./endpoint.ts";
import { decodeParameters, type Route } from "./endpoints.ts";
import { describeIssues } from "./json-schema.ts";
import { readTolerantly } from "./tolerant-reader.ts";

/** A handler's input, and the body that it was read from. */
interface Input {
  readonly input: unknown;
  /** The paths of values that were converted to the contract's type (D-125). */
  readonly converted: readonly string[];
  readonly body: ReceivedBody | undefined;
}

/**
 * Reads and validates the handler's input: for a GET from the path, otherwise from the body.
 *
 * @throws {Rejected} (rejects) if the body cannot be read, is not JSON, or the input is invalid
 * @throws {ConfigurationError} (rejects) `body_already_consumed`
 */
export async function readInput<Incoming>(
  { maxBodyBytes }: { readonly maxBodyBytes: number },
  incoming: IncomingRequest<Incoming>,
  { endpoint, parameters }: Route,
  { body: signedBody }: VerifiedRequest,
): Promise<Input> {
  if (!endpoint.handler) return { input: undefined, converted: [], body: undefined };
  if (endpoint.method === "GET")
    return { ...validateInput(endpoint.schema, decodeParameters(parameters)), body: undefined };
  if (!isJson(incoming.rawHeaders)) throw createRejection("unsupported_media_type");
  const body: ReceivedBody = signedBody
    ? { kind: "bytes", bytes: signedBody }
    : await incoming.readBody(maxBodyBytes, bodyTimeoutMs);
  return { ...validateInput(endpoint.schema, parseJson(body)), body };
}

/**
 * Validates the input, and converts unambiguous values of the wrong type (D-125). Unknown fields are kept (D-35).
 *
 * @throws {Rejected} `invalid_request`
 */
export function validateInput(
  schema: HandledEndpoint["schema"],
  value: unknown,
): { readonly input: unknown; readonly converted: readonly string[] } {
  const result = readTolerantly(schema, value);
  if ("issues" in result) throw createRejection("invalid_request", { errors: describeIssues(result.issues) });
  return { input: result.data, converted: result.converted };
}

/** Matches a JSON media type. A charset must be UTF-8, and any other parameter is ignored (D-60). */
const jsonMediaType =
  /^application\/(?:[\w.!#$&^+-]+\+)?json[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*"?utf-8"?|(?!charset[ \t=])[\w.!#$&^+-]+=(?:[\w.!#$&^+-]+|"[^"\\]*"))?[ \t]*)*$/i;

/** Whether the headers describe the body as uncompressed JSON in UTF-8. */
export function isJson(rawHeaders: readonly string[]): boolean {
  const encoding = findHeader(rawHeaders, "content-encoding");
  if (encoding !== undefined && (encoding === duplicated || encoding.toLowerCase() !== "identity")) return false;
  const type = findHeader(rawHeaders, "content-type");
  return typeof type === "string" && jsonMediaType.test(type);
}

// `fatal`, because two bodies with different invalid bytes must not become the same string. A byte order mark is allowed (D-60).
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes and parses a body, unless a parser has already done so. @throws {Rejected} `invalid_encoding`, `malformed_json` */
export function parseJson(body: ReceivedBody): unknown {
  if (body.kind === "parsed") return body.value;
  let text: string;
  try {
    text = utf8.decode(body.bytes);
  } catch {
    throw createRejection("invalid_encoding");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw createRejection("malformed_json");
  }
}
