import { dotPath, type Issue, type Schema, validate } from "./json-schema.ts";

/** A payload for its handler, or the reasons to reject it. */
type Reading =
  | {
      readonly data: unknown;
      /** The paths of values that were converted to the contract's type, such as `offerId`; empty for most payloads. */
      readonly converted: readonly string[];
    }
  | { readonly issues: readonly Issue[] };

/**
 * Reads a payload whose sender is less strict than the contract (tolerant reader, D-125). A value that the schema rejects but that can only
 * mean one thing is converted and validated again; any other is rejected for the schema's reasons.
 */
export function readTolerantly(schema: Schema, value: unknown): Reading {
  const { data, issues } = validate(schema, value);
  if (issues.length === 0) return { data, converted: [] };
  const converted: string[] = [];
  let [remaining, changed]: [readonly Issue[], unknown] = [issues, value];
  // The second round is for problems that the first one uncovers: a string that becomes a list may contain an address with white space.
  for (let round = 0; round < 2; round += 1) {
    // From the last to the first, so that removing an entry from a list does not shift entries still to be read.
    for (const issue of remaining.toReversed()) {
      const change = findChange(issue, changed);
      if (!change) return { issues };
      changed = changeAt(changed, issue.path, change);
      converted.unshift(dotPath(issue.path));
    }
    const result = validate(schema, changed);
    if (result.issues.length === 0) return { data: result.data, converted: [...new Set(converted)] };
    remaining = result.issues;
  }
  return { issues };
}

/** Marks a member or a list entry that is left out. */
const absent = Symbol("absent");

type Change = (value: unknown) => unknown;

/** Finds the change that makes an invalid value match the schema. Returns undefined if the value is meaningless or ambiguous. */
function findChange({ path, expected }: Issue, root: unknown): Change | undefined {
  const value = valueAt(root, path);
  const parent = valueAt(root, path.slice(0, -1));
  // Leave out an empty member. If it is required, validation then rejects the object.
  if (value === "" || (value === null && Array.isArray(parent))) return () => absent;
  if (expected === "date-time") return () => `${value}T00:00:00Z`; // midnight UTC (D-28)
  if (expected === "idn-email" || expected === "uri") return () => String(value).trim();
  if (expected === "string" && hasExactText(value)) return String;
  if (expected === "number" && typeof value === "string" && hasExactNumber(value)) return Number;
  if (expected !== "array") return undefined;
  if (typeof value === "string") return () => [value];
  // Of the payloads, only a search has a filter. With one, it needs no addresses.
  return (value === undefined || value === null) && hasText(parent, "filter") ? () => [] : undefined;
}

/**
 * Whether a number still equals what was sent: JSON.parse rounds integers beyond 2^53 and decimals of more than 15 digits. A rounded id
 * would identify something else.
 */
const hasExactText = (value: unknown): boolean =>
  typeof value === "bigint" ||
  (typeof value === "number" && (Number.isSafeInteger(value) || hasExactNumber(String(value))));

const hasExactNumber = (text: string): boolean =>
  /^-?\d+(?:\.\d+)?$/.test(text) && text.replace(/\D/g, "").length <= 15;

const hasText = (object: unknown, name: string): boolean => {
  const value = valueAt(object, [name]);
  return typeof value === "string" && value.trim() !== "";
};

const valueAt = (value: unknown, path: Issue["path"]): unknown =>
  path.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key], value);

/** Copies the payload with one value changed; the original may belong to a framework, like Express's `request.body`. */
function changeAt(value: unknown, [key, ...rest]: Issue["path"], change: Change): unknown {
  if (key === undefined) return change(value);
  const isList = Array.isArray(value);
  const inner = changeAt(valueAt(value, [key]), rest, change);
  if (isList) return value.flatMap((entry, index) => (index !== key ? [entry] : inner === absent ? [] : [inner]));
  const members = Object.entries(value as object).filter(([name]) => name !== key);
  return Object.fromEntries(inner === absent ? members : [...members, [key, inner]]);
}
