import { UsageError } from "../terminal/usage-error.ts";
import type { TriggerEvent } from "./events.ts";

/**
 * An event's fields with those that `--set field=value` names. A list is written with commas.
 *
 * @throws {UsageError} for an assignment without `=`, or of a field that the event does not have
 */
export function setFields({ name, fields }: TriggerEvent, assignments: readonly string[]): TriggerEvent["fields"] {
  const known = Object.keys(fields);
  const set: Record<string, string | string[]> = {};
  for (const assignment of assignments) {
    const [, field = "", value = ""] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (field === "") throw new UsageError(`--set takes field=value, and got ${JSON.stringify(assignment)}.`);
    if (!known.includes(field))
      throw new UsageError(
        known.length === 0
          ? `${name} has no fields to set.`
          : `${name} has no field ${JSON.stringify(field)}. Its fields are ${known.join(", ")}.`,
      );
    set[field] = Array.isArray(fields[field]) ? value.split(",").filter(Boolean) : value;
  }
  return { ...fields, ...set };
}
