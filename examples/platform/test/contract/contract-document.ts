import { readFileSync } from "node:fs";
import { expect } from "vitest";

/** A row from one of the contract's tables of fields. */
export interface DocumentedField {
  field: string;
  type: string;
  /** `yes` or `no`, if the table has the column. */
  required?: string;
}

const lines = readFileSync(new URL("../../../../spec/interface.md", import.meta.url), "utf8").split("\n");

/** Returns the rows of the first table in spec/interface.md after the line that starts with this string. */
export function fieldsAfter(beginning: string): DocumentedField[] {
  const from = lines.findIndex((line) => line.startsWith(beginning));
  const head = lines.findIndex((line, index) => index > from && line.startsWith("|"));
  const names = cellsOf(lines[head] ?? "").map((name) => name.toLowerCase());
  const rows: DocumentedField[] = [];
  for (const row of lines.slice(head + 2)) {
    if (!row.startsWith("|")) break;
    const cells = cellsOf(row);
    rows.push(Object.fromEntries(names.map((name, index) => [name, cells[index]])) as unknown as DocumentedField);
  }
  if (from < 0 || rows.length === 0) throw new Error(`spec/interface.md has no table after ${beginning}`);
  return rows;
}

const cellsOf = (row: string): string[] =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

const utc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|\+00:00)$/;
const isUtc = (value: unknown): boolean => typeof value === "string" && utc.test(value);
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const isEmailAddress = (value: unknown): boolean => typeof value === "string" && /^[^@\s]+@[^@\s]+$/.test(value);
const isEvent = (value: unknown): boolean => isObject(value) && isUtc(Object(value).start) && isUtc(Object(value).end);
const all =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every(is);

const noStrings = [7, true, null, {}, ["x"]];

/** Valid and invalid values for each type in the contract. */
const types: Record<string, { is: (value: unknown) => boolean; wrong: unknown[] }> = {
  string: { is: (value) => typeof value === "string", wrong: noStrings },
  integer: { is: Number.isInteger, wrong: ["1", 1.5, null, true] },
  boolean: { is: (value) => typeof value === "boolean", wrong: ["true", 1, null] },
  "string (e-mail address)": { is: isEmailAddress, wrong: [...noStrings, "", "hana", "a b@example.com"] },
  "string, date-time (UTC)": { is: isUtc, wrong: [...noStrings, "", "soon"] },
  "string, date-time, UTC": { is: isUtc, wrong: [...noStrings, "", "soon", "2025-11-30T17:00:00"] },
  "array of string": { is: all((value) => typeof value === "string"), wrong: ["x", [7], [null], {}, null] },
  "array of string (e-mail addresses)": { is: all(isEmailAddress), wrong: ["a@example.com", ["a"], [7], {}, null] },
  "array of event objects": { is: all(isEvent), wrong: ["x", [7], [{}], {}, null] },
  "array of recipient objects": { is: all(isObject), wrong: [[7]] },
  "array of rating objects": { is: all(isObject), wrong: ["x", [7], [{}], {}, null] },
};

function typeNamed(name: string) {
  const type = types[name];
  if (type === undefined) throw new Error(`spec/interface.md has a new type: ${name}`);
  return type;
}

/** Asserts that all documented fields are present with the right types, and that there are no other fields. */
export function expectFields(value: unknown, fields: readonly DocumentedField[]): void {
  expect(Object.keys(Object(value)).sort()).toEqual(fields.map(({ field }) => field).sort());
  for (const { field, type } of fields)
    expect([field, typeNamed(type).is(Reflect.get(Object(value), field))]).toEqual([field, true]);
}

/** Returns values that do not have the documented type. */
export const wrongValues = ({ type }: DocumentedField): unknown[] => typeNamed(type).wrong;
