import { toPlainForm, toUtc } from "@offers/contract/date-time";

/** The part of JSON Schema that payloads use. */
export interface Schema {
  readonly type: "object" | "array" | "string" | "number" | "integer";
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  /** Always 1. A larger minimum would require counting code points, as `maxLength` does. */
  readonly minLength?: 1;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: "date-time" | "idn-email" | "uri";
  /** For a date-time, a pattern means that the value must be in UTC. */
  readonly pattern?: RegExp;
}

/** One problem with a value. */
export interface Issue {
  readonly path: (string | number)[];
  /** The type or format that the value should have; undefined if it breaks another rule. */
  readonly expected: Schema["type" | "format"];
  /** Never contains a value from the payload (D-49). */
  readonly message: string;
}

/**
 * Reads a payload according to the contract: unknown fields are kept (D-35), an optional field that is null counts as absent (D-94), and a
 * date-time is converted to UTC if some readers would not accept its notation (D-96). Surrounding white space, tabs and line breaks
 * are removed from a URL.
 *
 * @returns `data` is valid only if there are no issues
 */
export function validate(
  schema: Schema,
  value: unknown,
): { readonly data: unknown; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  return { data: readValue(schema, value, issues), issues };
}

/** Returns the problems with each field, by field name, such as `userEmailAddresses[0]`. */
export function describeIssues(issues: readonly Issue[]): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const { path, message } of issues) {
    const field = formatPath(path) || "body";
    fields[field] = [...(fields[field] ?? []), message];
  }
  return fields;
}

/** Formats a path as in JavaScript, such as `list[0].id`. */
export function formatPath(path: Issue["path"]): string {
  const steps = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`));
  return steps.join("").replace(/^\./, "");
}

function readValue(schema: Schema, value: unknown, issues: Issue[]): unknown {
  const { type, enum: allowedValues } = schema;
  if (allowedValues && !allowedValues.some((candidate) => candidate === value))
    return addIssue(issues, `Must be one of: ${allowedValues.join(", ")}.`);
  if (type === "string") {
    if (typeof value === "string") return readString(schema, value, issues);
  } else if (type === "object") {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return readObject(schema, value, issues);
  } else if (type === "array") {
    if (Array.isArray(value)) return readArray(schema, value, issues);
  } else {
    if (Number.isFinite(value)) return readNumber(schema, value as number, issues);
    return addIssue(issues, "Must be of type number.", "number");
  }
  return addIssue(issues, `Must be of type ${type}.`, type);
}

function readObject({ properties = {}, required }: Schema, value: object, issues: Issue[]): object {
  const fields = value as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = {};
  for (const name in properties) {
    const field = fields[name];
    if ((field !== undefined && field !== null) || required?.includes(name))
      result[name] = readAt(name, properties[name] as Schema, field, issues);
  }
  // An assignment to __proto__ would change the result's prototype.
  for (const name in fields) if (!Object.hasOwn(properties, name) && name !== "__proto__") result[name] = fields[name];
  return result;
}

function readArray({ items }: Schema, values: readonly unknown[], issues: Issue[]): unknown {
  if (!items) return values;
  const result: unknown[] = [];
  // `map` would skip holes.
  for (let index = 0; index < values.length; index += 1) result.push(readAt(index, items, values[index], issues));
  return result;
}

/** Reads a field or a list entry, and adds its key to the paths of its issues. */
function readAt(key: string | number, schema: Schema, value: unknown, issues: Issue[]): unknown {
  const firstNewIndex = issues.length;
  const result = readValue(schema, value, issues);
  for (const issue of issues.slice(firstNewIndex)) issue.path.unshift(key);
  return result;
}

function readString({ minLength, maxLength, format, pattern }: Schema, text: string, issues: Issue[]): unknown {
  if (minLength && text === "") addIssue(issues, `Too short or too small; at least ${minLength}.`);
  // `maxLength` counts code points. `length` is cheaper to check first, and never less.
  if (maxLength && text.length > maxLength && [...text].length > maxLength)
    addIssue(issues, `Too long or too large; at most ${maxLength}.`);
  if (format === "date-time") {
    const time = pattern ? toUtc(text) : toPlainForm(text);
    return time ?? addIssue(issues, "Must be a date-time with a time zone, such as 2099-05-01T16:00:00Z.", format);
  }
  let result = text;
  if (format === "uri") {
    // `URL` ignores white space around a URL and line breaks within it.
    const trimmed = text.trim();
    if (URL.canParse(trimmed)) result = trimmed.replace(/[\t\n\r]/g, "");
    else addIssue(issues, "Must be a full URL.", format);
  }
  if (pattern && !pattern.test(result))
    addIssue(issues, (format && patternMessages[format]) ?? "Invalid value.", format);
  return result;
}

function readNumber(
  { type, minimum = -Infinity, maximum = Infinity }: Schema,
  value: number,
  issues: Issue[],
): unknown {
  if (type === "integer" && !Number.isInteger(value)) return addIssue(issues, "Must be an integer.");
  if (value < minimum) addIssue(issues, `Too short or too small; at least ${minimum}.`);
  if (value > maximum) addIssue(issues, `Too long or too large; at most ${maximum}.`);
  return value;
}

/** Adds an issue, and returns undefined as the value that was read. */
function addIssue(issues: Issue[], message: string, expected?: Schema["type" | "format"]): undefined {
  issues.push({ path: [], expected, message });
}

/** The messages for values that do not match the pattern of their format, by format. */
const patternMessages: Partial<Record<string, string>> = {
  "idn-email": "Must be an email address.",
  uri: "Must start with http:// or https://.",
};
