import { InvalidResponseError } from "../errors/error-classes.ts";
import { wrongTypeMessage } from "../errors/usage.ts";

/** Called with the path of each field that was converted, such as `recipients[0].id`. */
export type ReportShape = (path: string) => void;

/**
 * The types of an object's fields. An `id` is a non-empty string, without which the data is useless. A list marked `required` must be
 * present and contain only objects.
 */
type Shape = { readonly [field: string]: FieldType };
type FieldType = "string" | "number" | "boolean" | "id" | readonly [item: Shape, presence?: "required"];
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
    // The common case first: a response with the contract's shape needs nothing else.
    if (typeof field !== type && !(type === "id" && field && typeof field === "string"))
      fields[name] = readField(field, type, report, formatPath(listPath, index, `.${name}`));
  }
  return fields;
}

const formatPath = (listPath: string, index: number, name: string): string =>
  listPath ? `${listPath}[${index}]${name}` : name.slice(1) || "the body";

/** Reads a field as a value of its type. Also called for every list, whose items must be read too. */
function readField(value: unknown, type: FieldType, report: ReportShape, path: string): unknown {
  const isRequired = type === "id" || type[1] === "required";
  let converted: unknown = value;
  if (!isRequired && (value ?? "") === "") converted = typeof type === "object" ? [] : empty[type];
  else if (typeof type === "object") {
    if (!Array.isArray(value)) throw createMismatch(path, "Array", value);
    // An optional list may be null, and null items in it are ignored too.
    if (!isRequired && value.includes(null)) converted = value.filter((item) => item !== null);
    (converted as unknown[]).forEach((item, index) => void readFields(item, type[0], report, path, index));
  } else {
    converted = type === "boolean" ? value === 1 : type === "number" ? Number(value) : `${value}`;
    const original = type === "number" ? `${converted}` : Number(converted);
    // Above 2 ** 53, JSON.parse may have rounded the number to another id.
    if (original !== value || !(Math.abs(value as number) < 2 ** 53))
      throw createMismatch(path, type === "id" ? "non-empty string" : type, value);
  }
  if ((value ?? converted) !== converted) report(path);
  return converted;
}

/** The empty value of each type. A number has none and becomes `undefined`. */
const empty: Partial<Record<string, unknown>> = { string: "", boolean: false };

const createMismatch = (path: string, wanted: string, value: unknown): InvalidResponseError =>
  new InvalidResponseError(wrongTypeMessage(path, wanted, value));
