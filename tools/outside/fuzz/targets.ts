import { cursor } from "./cursor.ts";
import { dateTime } from "./date-time.ts";
import { basePath, ownPath, target } from "./paths.ts";
import { mediaType, payload } from "./payloads.ts";
import { receiver } from "./receiver.ts";
import { creation } from "./requests.ts";
import { response } from "./responses.ts";
import { retryAfter } from "./retry-after.ts";
import { signing, standardWebhooks, timestampDigest } from "./signatures.ts";
import type { FuzzTarget } from "./target.ts";
import { traceContext } from "./trace-context.ts";

/** One for each parser of kit, client and platform that reads what another party wrote. */
export const targets: Readonly<Record<string, FuzzTarget>> = {
  basePath,
  creation,
  cursor,
  dateTime,
  mediaType,
  ownPath,
  payload,
  receiver,
  response,
  retryAfter,
  signing,
  standardWebhooks,
  target,
  timestampDigest,
  traceContext,
};
