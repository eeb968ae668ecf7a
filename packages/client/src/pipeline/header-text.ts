import { refusal } from "../errors/refusal.ts";
import type { UsageError } from "../errors/usage-error.ts";
import { kindOf } from "./kind-of.ts";

/** A header's value. What is refused here, `fetch` would refuse with a message that shows it. */
export function headerText(name: string, value: unknown, code: UsageError["code"] = "invalid_option"): string {
  if (typeof value === "string" && /^[!-~]([ -~]*[!-~])?$/.test(value)) return value;
  const fault =
    typeof value !== "string"
      ? `is ${kindOf(value)}; give a string`
      : value === ""
        ? "is empty; is the variable set that it comes from?"
        : value === value.trim()
          ? "holds a character that no header can have; give printable ASCII"
          : "starts or ends with white space; trim it";
  throw refusal(code, `${name} ${fault}`);
}

/** A header's name, in lower case; `option` is what the message names. */
export function headerName(option: string, name: unknown): string {
  const text = headerText(option, name);
  if (/^[\w!#-'*+.^`|~-]+$/.test(text)) return text.toLowerCase();
  throw refusal("invalid_option", `${option} must be the name of a header, such as X-Team`);
}
