import { InvalidResponseError } from "../errors/error-classes.ts";
import { Failure, mustBe } from "../errors/failure.ts";
import { offerShape } from "../generated/offer-shape.ts";
import type { Offer } from "../offer.ts";

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
 * A tolerant reader (D-126): an offer whose every field has the type of the contract. What is absent or null becomes the empty
 * value of its type; a value of another type is converted where that loses nothing. Only data that is of no use, or that shows
 * that something else responded, is a failure.
 */
export const readOffer = (body: unknown, report: ReportShape): Offer =>
  readFields(body, offerShape, report) as unknown as Offer;

/** The id of an object that has one. */
export const readId = (body: unknown, report: ReportShape): string =>
  readFields(body, { id: "id" }, report).id as string;

/** @param list the path of the list whose item `index` the value is; empty for the body itself */
function readFields(value: unknown, shape: Shape, report: ReportShape, list = "", index = 0): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw mismatch(pathOf(list, index, ""), "an object", value);
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
  const isRequired = type === "id" || (typeof type === "object" && type[1]);
  let converted: unknown = value;
  if (!isRequired && (value === undefined || value === null || value === ""))
    converted = type === "string" ? "" : type === "boolean" ? false : type === "number" ? undefined : [];
  else if (typeof type === "object") {
    if (!Array.isArray(value)) throw mismatch(path, "an array", value);
    // Null among the items of an optional list says as little as null in its place.
    if (!isRequired && value.includes(null)) converted = value.filter((item) => item !== null);
    const items = converted as unknown[];
    for (let index = 0; index < items.length; index++) readFields(items[index], type[0], report, path, index);
  }
  // The text "false" is not converted: languages differ in what it means as a flag.
  else if (type === "boolean" && (value === 0 || value === 1)) converted = value === 1;
  // Beyond this number JSON.parse has already rounded: the id would be another one.
  else if (
    (type === "string" || type === "id") &&
    typeof value === "number" &&
    Math.abs(value) <= Number.MAX_SAFE_INTEGER
  )
    converted = `${value}`;
  else if (type === "number" && Number.isFinite(Number(value)) && `${Number(value)}` === value)
    converted = Number(value);
  else throw mismatch(path, type === "id" ? "a non-empty string" : `a ${type}`, value);
  if (converted !== value && value !== undefined && value !== null) report(path);
  return converted;
}

const mismatch = (path: string, wanted: string, value: unknown): Failure =>
  new Failure(InvalidResponseError, `${mustBe(path, wanted, value)}; check baseUrl`);
