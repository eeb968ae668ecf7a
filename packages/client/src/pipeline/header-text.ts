import { refusal } from "../errors/refusal.ts";
import type { UsageError } from "../errors/usage-error.ts";

/** A header's value. What is refused here, `fetch` would refuse with a message that shows it. */
export function headerText(
  name: string,
  value: unknown,
  code: UsageError["code"] = "invalid_option",
  pattern = /^[!-~]([ -~]*[!-~])?$/,
): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  throw refusal(code, `${name} is unset, or unfit for an HTTP header`);
}

/** A header's name, in lower case; `option` is what the message names. */
export const headerName = (option: string, name: string): string =>
  headerText(option, name, undefined, /^[\w!#-'*+.^`|~-]+$/).toLowerCase();
