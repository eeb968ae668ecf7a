import { createUsageError } from "../errors/create-usage-error.ts";
import { kindOf } from "../errors/kind-of.ts";
import type { UsageError } from "../errors/usage-error.ts";

/** A header's value. `fetch` would refuse the same values, with a message that shows them. */
export function checkHeaderValue(name: string, value: unknown, code: UsageError["code"] = "invalid_option"): string {
  if (typeof value === "string" && /^[!-~]([ -~]*[!-~])?$/.test(value)) return value;
  const problem =
    typeof value !== "string"
      ? `is ${kindOf(value)}; give a string`
      : value === ""
        ? "is empty; is its environment variable set?"
        : value === value.trim()
          ? "has a character that is not printable ASCII"
          : "starts or ends with white space; trim it";
  throw createUsageError(code, `${name} ${problem}`);
}

/** @returns the name in lower case @param option named in the message */
export function checkHeaderName(option: string, name: unknown): string {
  const text = checkHeaderValue(option, name);
  if (/^[\w!#-'*+.^`|~-]+$/.test(text)) return text.toLowerCase();
  throw createUsageError("invalid_option", `${option} must be the name of a header, such as X-Team`);
}
