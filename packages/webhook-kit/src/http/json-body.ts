import { duplicated, findHeader } from "./headers.ts";
import type { ReceivedBody } from "./incoming-request.ts";
import { rejectRequest } from "./rejected.ts";

/** JSON has no parameters: a charset must be the only one that JSON may have, and any other parameter is ignored (D-60). */
const json =
  /^application\/(?:[\w.!#$&^+-]+\+)?json[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*"?utf-8"?|(?!charset[ \t=])[\w.!#$&^+-]+=(?:[\w.!#$&^+-]+|"[^"\\]*"))?[ \t]*)*$/i;

/** JSON in UTF-8, not compressed. */
export function isJson(rawHeaders: readonly string[]): boolean {
  const encoding = findHeader(rawHeaders, "content-encoding");
  if (encoding !== undefined && (encoding === duplicated || encoding.toLowerCase() !== "identity")) return false;
  const type = findHeader(rawHeaders, "content-type");
  return typeof type === "string" && json.test(type);
}

// fatal: two bodies of different, invalid bytes must not become the same text. Anything else unusual is allowed (D-60).
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws {Rejected} `invalid_encoding`, `malformed_json` */
export function parseJson(body: ReceivedBody): unknown {
  if (body.kind === "parsed") return body.value;
  let text: string;
  try {
    text = utf8.decode(body.bytes);
  } catch {
    throw rejectRequest("invalid_encoding");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw rejectRequest("malformed_json");
  }
}
