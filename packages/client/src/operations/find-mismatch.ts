import { kindOf } from "../errors/kind-of.ts";

/** What a value from JSON must be: a kind, an array of one shape, or an object; a field with `?` at its end is optional. */
export type Shape =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | readonly [Shape]
  | { readonly [field: string]: Shape };

/**
 * Where a value first departs from its shape, and how: `["recipients[3].workerId", "is missing"]`. Fields that the shape does
 * not have pass. Null for an optional field is absent, and is taken away.
 */
export function findMismatch(value: unknown, shape: Shape): [path: string, fault: string] | undefined {
  if (typeof value === shape || (shape === "integer" && Number.isInteger(value))) return undefined;
  // A path is put together on the way back only: there are thousands of recipients, and hardly ever a fault.
  if (isList(shape)) {
    if (!Array.isArray(value)) return departs(value, "an array");
    for (let index = 0; index < value.length; index++) {
      const fault = findMismatch(value[index], shape[0]);
      if (fault) return [`[${index}]${fault[0]}`, fault[1]];
    }
    return undefined;
  }
  if (typeof shape === "string") return departs(value, `${shape === "integer" ? "an" : "a"} ${shape}`);
  if (!isRecord(value)) return departs(value, "an object");
  for (const name in shape) {
    const isOptional = name.endsWith("?");
    const field = isOptional ? name.slice(0, -1) : name;
    if (isOptional && value[field] == null) {
      delete value[field];
      continue;
    }
    const fault = findMismatch(value[field], shape[name] as Shape);
    if (fault) return [`.${field}${fault[0]}`, fault[1]];
  }
  return undefined;
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const departs = (value: unknown, wanted: string): [string, string] => [
  "",
  value === undefined ? "is missing" : `is ${kindOf(value)}, not ${wanted}`,
];
