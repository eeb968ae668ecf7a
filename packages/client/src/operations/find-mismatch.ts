import { kindOf } from "../errors/kind-of.ts";

/** The expected type of a JSON value: a primitive, an array of one shape, or an object. A field whose name ends with `?` is optional. */
export type Shape =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | readonly [Shape]
  | { readonly [field: string]: Shape };

/**
 * The path and problem of the first value that does not fit its shape: `["recipients[3].workerId", "is missing"]`. Additional
 * fields are allowed. An optional field that is null counts as absent and is deleted.
 */
export function findMismatch(value: unknown, shape: Shape): [path: string, mismatch: string] | undefined {
  if (typeof value === shape || (shape === "integer" && Number.isInteger(value))) return undefined;
  // The path is built on the way back only: an offer can have thousands of recipients, and mismatches are rare.
  if (isList(shape)) {
    if (!Array.isArray(value)) return notOfShape(value, "an array");
    for (let index = 0; index < value.length; index++) {
      const mismatch = findMismatch(value[index], shape[0]);
      if (mismatch) return [`[${index}]${mismatch[0]}`, mismatch[1]];
    }
    return undefined;
  }
  if (typeof shape === "string") return notOfShape(value, `${shape === "integer" ? "an" : "a"} ${shape}`);
  if (!isRecord(value)) return notOfShape(value, "an object");
  for (const name in shape) {
    const isOptional = name.endsWith("?");
    const field = isOptional ? name.slice(0, -1) : name;
    if (isOptional && value[field] == null) {
      delete value[field];
      continue;
    }
    const mismatch = findMismatch(value[field], shape[name] as Shape);
    if (mismatch) return [`.${field}${mismatch[0]}`, mismatch[1]];
  }
  return undefined;
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const notOfShape = (value: unknown, wanted: string): [string, string] => [
  "",
  value === undefined ? "is missing" : `is ${kindOf(value)}, not ${wanted}`,
];
