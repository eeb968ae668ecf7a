import { InvalidResponseError } from "../errors/error-classes.ts";
import { wrongType } from "../errors/usage.ts";

/** Called with the path of a field that was converted: `recipients[0].id`. */
export type ReportShape = (path: string) => void;

/**
 * The types of an object's fields. `id`: a text that is not empty, without which the data is of no use. A list whose second
 * item is `required` must be there, and holds objects only.
 */
type Shape = { readonly [field: string]: FieldType };
type FieldType = "string" | "number" | "boolean" | "id" | readonly [item: Shape, presence?: "required"];
type Fields = Record<string, unknown>;

/**
 * A tolerant reader (D-126): an object whose every field has the type of its shape. What is absent or null becomes the empty
 * value of its type; a value of another type is converted where that loses nothing. Only data that is of no use, or that shows
 * that something else responded, is a failure.
 *
 * @param list the path of the list whose item `index` the value is; empty for the body itself
 */
export function readFields(value: unknown, shape: Shape, report: ReportShape, list = "", index = 0): Fields {
  if (Object(value) !== value || Array.isArray(value)) throw mismatch(pathOf(list, index, ""), "Object", value);
  const fields = value as Fields;
  for (const name in shape) {
    const type = shape[name] as FieldType;
    const field = fields[name];
    // The common case first: it is all that a response of the contract's shape takes.
    if (typeof field !== type && !(type === "id" && field && typeof field === "string"))
      fields[name] = readField(field, type, report, pathOf(list, index, `.${name}`));
  }
  return fields;
}

const pathOf = (list: string, index: number, name: string): string =>
  list ? `${list}[${index}]${name}` : name.slice(1) || "the body";

/** A field as a value of its type. A list of the right type comes here too. */
function readField(value: unknown, type: FieldType, report: ReportShape, path: string): unknown {
  const isRequired = type === "id" || type[1] === "required";
  let converted: unknown = value;
  if (!isRequired && (value ?? "") === "") converted = typeof type === "object" ? [] : empty[type];
  else if (typeof type === "object") {
    if (!Array.isArray(value)) throw mismatch(path, "Array", value);
    // Null among the items of an optional list says as little as null in its place.
    if (!isRequired && value.includes(null)) converted = value.filter((item) => item !== null);
    (converted as unknown[]).forEach((item, index) => void readFields(item, type[0], report, path, index));
  } else {
    converted = type === "boolean" ? value === 1 : type === "number" ? Number(value) : `${value}`;
    const original = type === "number" ? `${converted}` : Number(converted);
    // Beyond 2 ** 53 JSON.parse has already rounded: the id would be another one.
    if (original !== value || !(Math.abs(value as number) < 2 ** 53))
      throw mismatch(path, type === "id" ? "non-empty string" : type, value);
  }
  if ((value ?? converted) !== converted) report(path);
  return converted;
}

/** A number has no empty value: `undefined` stands for it, and for the lists. */
const empty: Partial<Record<string, unknown>> = { string: "", boolean: false };

const mismatch = (path: string, wanted: string, value: unknown): InvalidResponseError =>
  new InvalidResponseError(wrongType(path, wanted, value));
