import type { IncomingRequest } from "./incoming-request.ts";
import { Refusal } from "./refusal.ts";

/** The maximum size of a request body (D-24). */
const maxBodyBytes = 1_048_576;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a request's JSON body, both parsed and as a string.
 *
 * @throws {Refusal} `missing_body`, `unsupported_media_type`, `body_too_large` or `malformed_json`
 */
export function readJson({ headers, body }: IncomingRequest): { text: string; value: unknown } {
  if (body.length === 0) throw new Refusal("missing_body", "Send the documented JSON body.");
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const charset = /charset="?([\w-]+)/.exec(parameters.join(";"))?.[1] ?? "utf-8";
  if (!/^(application\/json|[^/\s]+\/[^/\s]+\+json)$/.test(type.trim()) || charset !== "utf-8")
    throw new Refusal("unsupported_media_type", "Send Content-Type: application/json, in UTF-8.");
  if (body.length > maxBodyBytes) throw new Refusal("body_too_large", `Send at most ${maxBodyBytes} bytes.`);
  try {
    const text = utf8.decode(body);
    return { text, value: JSON.parse(text) };
  } catch {
    throw new Refusal("malformed_json", "Send one JSON value in UTF-8; a JSON validator shows where it is invalid.");
  }
}
