import type * as z from "zod";
import { decodeParameters, type Route } from "../endpoints/find-route.ts";
import { describeIssues } from "../endpoints/schema-issues.ts";
import { bodyTimeoutMs } from "../generated/decisions.ts";
import type { IncomingRequest, ReceivedBody } from "../http/incoming-request.ts";
import { isJson, parseJson } from "../http/json-body.ts";
import { rejectRequest } from "../http/rejected.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";

/**
 * The handler's validated input, from the path of a GET and else from the body.
 *
 * @throws {Rejected} (rejects)
 * @throws {ConfigurationError} (rejects) `body_already_consumed`
 */
export async function readInput<Incoming>(
  { maxBodyBytes }: { readonly maxBodyBytes: number },
  incoming: IncomingRequest<Incoming>,
  { endpoint, parameters }: Route,
  { body: signed }: VerifiedRequest,
): Promise<{ readonly input: unknown; readonly body: ReceivedBody | undefined }> {
  if (!endpoint.handler) return { input: undefined, body: undefined };
  if (endpoint.method === "GET")
    return { input: validateInput(endpoint.schema, decodeParameters(parameters)), body: undefined };
  if (!isJson(incoming.rawHeaders)) throw rejectRequest("unsupported_media_type");
  const body: ReceivedBody = signed
    ? { kind: "bytes", bytes: signed }
    : await incoming.readBody(maxBodyBytes, bodyTimeoutMs);
  return { input: validateInput(endpoint.schema, parseJson(body)), body };
}

/** Unknown fields are kept (D-35). */
export function validateInput<Input>(schema: z.ZodType<Input>, value: unknown): Input {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw rejectRequest("invalid_request", { errors: describeIssues(result.error.issues) });
}
