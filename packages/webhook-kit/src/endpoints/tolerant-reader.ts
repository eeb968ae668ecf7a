import { formatPath, type Issue, type Schema, validate } from "./json-schema.ts";

/** A payload for its handler, or the reasons to reject it. */
type ReadResult =
  | {
      readonly data: unknown;
      /** The paths of values that were converted to the contract's type, such as `offerId`; empty for most payloads. */
      readonly converted: readonly string[];
    }
  | { readonly issues: readonly Issue[] };

/**
 * Reads a payload whose sender is less strict than the contract (tolerant reader, D-125). A value that the schema rejects but that can only
 * mean one thing is converted and validated again. Any other invalid value is rejected, with the schema's issues.
 */
export function readTolerantly(schema: Schema, value: unknown): ReadResult {
  const { data, issues } = validate(schema, value);
  if (issues.length === 0) return { data, converted: [] };
  const converted: string[] = [];
  let remainingIssues = issues;
  let changedValue = value;
  // The second round is for problems that the first round uncovers: a string that becomes a list may contain an address with white space.
  for (let round = 0; round < 2; round += 1) {
    // Go from the last issue to the first, so that removing a list entry does not shift the entries of the remaining issues.
    for (const issue of remainingIssues.toReversed()) {
      const change = findChange(issue, changedValue);
      if (!change) return { issues };
      changedValue = changeAt(changedValue, issue.path, change);
      converted.unshift(formatPath(issue.path));
    }
    const result = validate(schema, changedValue);
    if (result.issues.length === 0) return { data: result.data, converted: [...new Set(converted)] };
    remainingIssues = result.issues;
  }
  return { issues };
}

/** Marks a member or a list entry to leave out. */
const absent = Symbol("absent");

type Change = (value: unknown) => unknown;

/** Finds the change that makes an invalid value match the schema. Returns undefined if the value is meaningless or ambiguous. */
function findChange({ path, expected }: Issue, root: unknown): Change | undefined {
  const value = valueAt(root, path);
  const parent = valueAt(root, path.slice(0, -1));
  // An empty string, and null in a list, are left out. If a required member is left out, validation then rejects the object.
  if (value === "" || (value === null && Array.isArray(parent))) return () => absent;
  if (expected === "date-time") return () => `${value}T00:00:00Z`; // midnight UTC (D-28)
  if (expected === "idn-email" || expected === "uri") return () => String(value).trim();
  if (expected === "string" && hasExactText(value)) return String;
  if (expected === "number" && typeof value === "string" && hasExactNumber(value)) return Number;
  return expected === "array" && typeof value === "string" ? () => [value] : undefined;
}

/**
 * Whether a parsed number still equals the number that was sent. JSON.parse rounds integers beyond 2^53 and decimals of more than 15
 * digits, and a rounded id would identify something else.
 */
const hasExactText = (value: unknown): boolean =>
  typeof value === "bigint" ||
  (typeof value === "number" && (Number.isSafeInteger(value) || hasExactNumber(String(value))));

const hasExactNumber = (text: string): boolean =>
  /^-?\d+(?:\.\d+)?$/.test(text) && text.replace(/\D/g, "").length <= 15;

const valueAt = (value: unknown, path: Issue["path"]): unknown =>
  path.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key], value);

/** Returns a copy with one value changed, because the original may belong to a framework, like Express's `request.body`. */
function changeAt(value: unknown, [key, ...rest]: Issue["path"], change: Change): unknown {
  if (key === undefined) return change(value);
  const changed = changeAt(valueAt(value, [key]), rest, change);
  if (Array.isArray(value)) {
    const replacement = changed === absent ? [] : [changed];
    return value.flatMap((entry, index) => (index === key ? replacement : [entry]));
  }
  const otherMembers = Object.entries(value as object).filter(([name]) => name !== key);
  return Object.fromEntries(changed === absent ? otherMembers : [...otherMembers, [key, changed]]);
}
