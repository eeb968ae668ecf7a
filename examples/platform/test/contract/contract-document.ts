import { readFileSync } from "node:fs";
import { expect } from "vitest";

/** A row from one of the contract's field tables. */
export interface DocumentedField {
  field: string;
  type: string;
  /** `yes` or `no`, if the table has the column. */
  required?: string;
}

const lines = readFileSync(new URL("../../../../spec/interface.md", import.meta.url), "utf8").split("\n");

/** Returns the rows of the first table in spec/interface.md after the line that starts with `lineStart`. */
export function readFieldsAfter(lineStart: string): DocumentedField[] {
  const startIndex = lines.findIndex((line) => line.startsWith(lineStart));
  const headerIndex = lines.findIndex((line, index) => index > startIndex && line.startsWith("|"));
  const names = splitCells(lines[headerIndex] ?? "").map((name) => name.toLowerCase());
  const rows: DocumentedField[] = [];
  // A separator line follows the header.
  for (const row of lines.slice(headerIndex + 2)) {
    if (!row.startsWith("|")) break;
    const cells = splitCells(row);
    rows.push(Object.fromEntries(names.map((name, index) => [name, cells[index]])) as unknown as DocumentedField);
  }
  if (startIndex < 0 || rows.length === 0) throw new Error(`spec/interface.md has no table after ${lineStart}`);
  return rows;
}

/** Returns the cells of a table row, which starts and ends with `|`. */
const splitCells = (row: string): string[] =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

const utc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|\+00:00)$/;
const isUtc = (value: unknown): boolean => typeof value === "string" && utc.test(value);
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const isEmailAddress = (value: unknown): boolean => typeof value === "string" && /^[^@\s]+@[^@\s]+$/.test(value);
const isEvent = (value: unknown): boolean => isObject(value) && isUtc(Object(value).start) && isUtc(Object(value).end);
const isNonEmptyArray =
  (isElement: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every(isElement);

const nonStrings = [7, true, null, {}, ["x"]];

interface ContractType {
  isValid(value: unknown): boolean;
  invalidValues: unknown[];
}

/** The types in the contract, each with examples of invalid values. */
const types: Record<string, ContractType> = {
  string: { isValid: (value) => typeof value === "string", invalidValues: nonStrings },
  integer: { isValid: Number.isInteger, invalidValues: ["1", 1.5, null, true] },
  boolean: { isValid: (value) => typeof value === "boolean", invalidValues: ["true", 1, null] },
  "string (e-mail address)": {
    isValid: isEmailAddress,
    invalidValues: [...nonStrings, "", "hana", "a b@example.com"],
  },
  "string, date-time (UTC)": { isValid: isUtc, invalidValues: [...nonStrings, "", "soon"] },
  "string, date-time, UTC": { isValid: isUtc, invalidValues: [...nonStrings, "", "soon", "2025-11-30T17:00:00"] },
  "array of string": {
    isValid: isNonEmptyArray((value) => typeof value === "string"),
    invalidValues: ["x", [7], [null], {}, null],
  },
  "array of string (e-mail addresses)": {
    isValid: isNonEmptyArray(isEmailAddress),
    invalidValues: ["a@example.com", ["a"], [7], {}, null],
  },
  "array of event objects": { isValid: isNonEmptyArray(isEvent), invalidValues: ["x", [7], [{}], {}, null] },
  "array of recipient objects": { isValid: isNonEmptyArray(isObject), invalidValues: [[7]] },
  "array of rating objects": { isValid: isNonEmptyArray(isObject), invalidValues: ["x", [7], [{}], {}, null] },
};

function getType(name: string): ContractType {
  const type = types[name];
  if (type === undefined) throw new Error(`spec/interface.md has an unknown type: ${name}`);
  return type;
}

/** Asserts that all documented fields are present with the documented types, and that there are no other fields. */
export function expectFields(value: unknown, fields: readonly DocumentedField[]): void {
  expect(Object.keys(Object(value)).sort()).toEqual(fields.map(({ field }) => field).sort());
  for (const { field, type } of fields)
    expect(getType(type).isValid(Reflect.get(Object(value), field)), field).toBe(true);
}

/** Returns values that do not have the documented type. */
export const invalidValues = ({ type }: DocumentedField): unknown[] => getType(type).invalidValues;
