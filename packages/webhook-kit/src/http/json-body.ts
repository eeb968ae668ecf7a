import type * as z from "zod";
import { describeIssues } from "../endpoints/schema-issues.ts";
import { ConfigurationError } from "../errors.ts";
import type { Refusal } from "../observability/outcome.ts";
import { duplicated, findHeader } from "./headers.ts";
import type { ReceivedBody } from "./incoming-request.ts";
import { refuseRequest } from "./rejected.ts";

/** JSON has no parameters: a charset must be the only one that JSON may have, and any other says nothing (D-60). */
const json =
  /^application\/(?:[\w.!#$&^+-]+\+)?json[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*"?utf-8"?|(?!charset[ \t=])[\w.!#$&^+-]+=(?:[\w.!#$&^+-]+|"[^"\\]*"))?[ \t]*)*$/i;

/** JSON in UTF-8, not compressed. */
export function isJson(rawHeaders: readonly string[]): boolean {
  const encoding = findHeader(rawHeaders, "content-encoding");
  if (encoding !== undefined && (encoding === duplicated || encoding.toLowerCase() !== "identity")) return false;
  const type = findHeader(rawHeaders, "content-type");
  return typeof type === "string" && json.test(type);
}

// fatal: two bodies of different, invalid bytes must not become the same text. Whatever else is odd is let pass (D-60).
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws {ConfigurationError} `body_already_consumed` */
export function parseJson(body: ReceivedBody): { readonly value: unknown } | Refusal {
  if (body.kind === "refused") return refuseRequest(body.reason);
  if (body.kind === "consumed") throw alreadyConsumed();
  if (body.kind === "parsed") return body;
  let text: string;
  try {
    text = utf8.decode(body.bytes);
  } catch {
    return refuseRequest("body_not_utf8");
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return refuseRequest("body_not_json");
  }
}

export const alreadyConsumed = (): ConfigurationError =>
  new ConfigurationError(
    "body_already_consumed",
    "A body parser, such as express.json(), or something else in front of the webhook receiver has consumed the body. Mount the receiver before the parser, or in Express let it keep the bytes as request.rawBody.",
  );

/** Checks against the contract; unknown fields are kept (D-35). */
export function checkPayload<Input>(schema: z.ZodType<Input>, value: unknown): { readonly input: Input } | Refusal {
  const result = schema.safeParse(value);
  if (result.success) return { input: result.data };
  return refuseRequest("invalid_payload", { errors: describeIssues(result.error.issues) });
}
