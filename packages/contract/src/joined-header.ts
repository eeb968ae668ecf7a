import { parseDateTime } from "./date-time.ts";

// Some runtimes join two headers of the same name with a comma, which one header may contain too.

const quotedString = /"(?:[^"\\]|\\.)*"/g;
const parameterStart = /^\s*[^\s=]+\s*=/;

/**
 * Whether an `Authorization` header consists of several. The parameters of one, such as those of AWS's SigV4, also have commas between them
 * (RFC 9110, section 11.4), but each of them starts with a name and an equals sign.
 */
export const isJoinedAuthorization = (text: string): boolean =>
  text
    .replaceAll(quotedString, "")
    .split(",")
    .slice(1)
    .some((part) => !parameterStart.test(part));

/** Whether a `Timestamp` header consists of several. An HTTP date, which no receiver accepts, has a comma after its day. */
export const isJoinedTimestamp = (text: string): boolean =>
  text
    .split(",")
    .slice(1)
    .some((part) => parseDateTime(part.trim()) !== undefined);
