import { createUsageError } from "../errors/create-usage-error.ts";
import { kindOf } from "../errors/kind-of.ts";

/**
 * @param kind as `kindOf` names it
 * @throws {UsageError} `invalid_argument` for a value of another kind
 */
export function checkArgument(
  name: string,
  value: unknown,
  kind: "a string" | "an array" | "an object",
  remedy: string,
): void {
  if (kindOf(value) !== kind)
    throw createUsageError("invalid_argument", `${name} is ${kindOf(value)}, not ${kind}; give ${remedy}`);
}
