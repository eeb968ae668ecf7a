import { UsageError } from "../errors/usage-error.ts";

/** A value for a header. What is refused here, `fetch` would refuse with a message that shows it. */
export function printable(name: string, value: unknown, code: UsageError["code"] = "invalid_option"): string {
  if (typeof value === "string" && /^[!-~]([ -~]*[!-~])?$/.test(value)) return value;
  throw new UsageError(code, `${name} must be printable ASCII, not empty, with no space at either end; is it set?`);
}

/** A header's name, in lower case; the option that holds it is named in the message. */
export function headerName(option: string, name: string): string {
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(printable(option, name))) return name.toLowerCase();
  throw new UsageError("invalid_option", `${option} must name headers as HTTP does, such as X-Team`);
}
