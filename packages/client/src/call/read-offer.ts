import { InvalidResponseError } from "../errors/error-classes.ts";
import { wrongTypeMessage } from "../errors/usage.ts";

/** Called with the path of each field that was converted, such as `recipients[0].id`. */
export type ReportShape = (path: string) => void;

/**
 * The types of an object's fields. An `id` is a non-empty string, without which the data is useless. A list marked `required` must be
 * present and contain only objects.
 */
type Shape = { readonly [field: string]: FieldType };
type FieldType = ScalarType | ListType;
type ScalarType = "string" | "number" | "boolean" | "id";
type ListType = readonly [item: Shape, presence?: "required"];
type Fields = Record<string, unknown>;

/**
 * Reads a value tolerantly (D-126): returns an object whose fields all have the types in `shape`. A field that is absent or null becomes
 * its type's empty value. A value of another type is converted if that loses nothing. Throws only if the data is useless, or shows that
 * something other than the service responded.
 *
 * @param listPath the path of the list that contains the value at `index`; empty for the body itself
 */
export function readFields(value: unknown, shape: Shape, report: ReportShape, listPath = "", index = 0): Fields {
  if (Object(value) !== value || Array.isArray(value))
    throw createMismatch(formatPath(listPath, index, ""), "Object", value);
  const fields = value as Fields;
  for (const name in shape) {
    const type = shape[name] as FieldType;
    const field = fields[name];
    // A scalar of the documented type is used as it is.
    if (typeof field !== type && !(type === "id" && field && typeof field === "string"))
      fields[name] = readField(field, type, report, formatPath(listPath, index, `.${name}`));
  }
  return fields;
}

/** Returns a path such as `recipients[0].id`. @param suffix the field with a leading dot; empty for the value itself */
function formatPath(listPath: string, index: number, suffix: string): string {
  if (listPath) return `${listPath}[${index}]${suffix}`;
  return suffix.slice(1) || "the body";
}

/** Returns a field's value, converted to `type` if necessary. Reports the conversion unless the field is absent or null. */
function readField(value: unknown, type: FieldType, report: ReportShape, path: string): unknown {
  const isOptional = typeof type === "object" ? type[1] !== "required" : type !== "id";
  let converted: unknown;
  // Null, undefined and an empty string count as empty.
  if (isOptional && (value ?? "") === "") converted = typeof type === "object" ? [] : emptyValues[type];
  else if (typeof type === "object") converted = readList(value, type[0], isOptional, report, path);
  else converted = convertScalar(value, type, path);
  if ((value ?? converted) !== converted) report(path);
  return converted;
}

function readList(value: unknown, shape: Shape, isOptional: boolean, report: ReportShape, path: string): unknown[] {
  if (!Array.isArray(value)) throw createMismatch(path, "Array", value);
  // Null items in an optional list are omitted.
  const items = isOptional && value.includes(null) ? value.filter((item) => item !== null) : value;
  items.forEach((item, index) => void readFields(item, shape, report, path, index));
  return items;
}

/** Converts a value to the type. Throws if the conversion would lose information. */
function convertScalar(value: unknown, type: ScalarType, path: string): unknown {
  let converted: unknown = `${value}`;
  if (type === "number") converted = Number(value);
  if (type === "boolean") converted = value === 1;
  // Converting back must result in the original value: a string for the type `number`, and a number for any other type.
  const convertedBack = type === "number" ? `${converted}` : Number(converted);
  // JSON.parse may have rounded a number above 2 ** 53, so it may not be the id that the service sent.
  if (convertedBack !== value || !(Math.abs(value as number) < 2 ** 53))
    throw createMismatch(path, type === "id" ? "non-empty string" : type, value);
  return converted;
}

/** The empty value of each type. A number has none and becomes `undefined`. */
const emptyValues: Partial<Record<string, unknown>> = { string: "", boolean: false };

const createMismatch = (path: string, expectedType: string, value: unknown): InvalidResponseError =>
  new InvalidResponseError(wrongTypeMessage(path, expectedType, value));
