import { createUsageError } from "../errors/create-usage-error.ts";
import { kindOf } from "../errors/kind-of.ts";

/** Puts `id` into the path's template as one segment, whatever it holds. @throws {UsageError} `invalid_id` */
export const fillPath = (template: string, id: unknown): string =>
  template.includes("{id}") ? template.replace("{id}", encodeId(id)) : template;

function encodeId(id: unknown): string {
  let problem = `is ${kindOf(id)}`;
  if (typeof id === "string")
    try {
      // encodeURIComponent also encodes the dollar sign, which `replace` would interpret.
      if (!/^\.{0,2}$/.test(id)) return encodeURIComponent(id);
      problem = `is ${id ? `"${id}"` : "empty"}`;
    } catch {
      problem = "is not Unicode text";
    }
  throw createUsageError("invalid_id", `id ${problem}; give the offer's id, as createOffer() returns it`);
}
