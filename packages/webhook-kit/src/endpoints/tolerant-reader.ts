import { dotPath, type Issue, type Schema, validate } from "./json-schema.ts";

/** A payload as its handler gets it; or why it has no meaning. */
type Reading =
  | {
      readonly data: unknown;
      /** The paths of the values that were not of the contract's type, such as `offerId`; most payloads have none. */
      readonly converted: readonly string[];
    }
  | { readonly issues: readonly Issue[] };

/**
 * Reads a payload whose sender is less strict than the contract (tolerant reader, D-125). What the schema refuses but has one
 * meaning becomes what the schema says, and is validated again; what has none is refused with the schema's own reasons.
 */
export function readTolerantly(schema: Schema, value: unknown): Reading {
  const { data, issues } = validate(schema, value);
  if (issues.length === 0) return { data, converted: [] };
  const converted: string[] = [];
  let [rest, changed]: [readonly Issue[], unknown] = [issues, value];
  // A second round is for what the first one brings out: the one address of a list that was sent as text.
  for (let round = 0; round < 2; round += 1) {
    // From the last to the first, so that an entry that is taken out of a list moves none that is still to come.
    for (const issue of rest.toReversed()) {
      const change = conversionOf(issue, changed);
      if (!change) return { issues };
      changed = changeAt(changed, issue.path, change);
      converted.unshift(dotPath(issue.path));
    }
    const result = validate(schema, changed);
    if (result.issues.length === 0) return { data: result.data, converted: [...new Set(converted)] };
    rest = result.issues;
  }
  return { issues };
}

/** Stands for a member or an entry that is left out. */
const absent = Symbol("absent");

type Change = (value: unknown) => unknown;

/** How the value that an issue is about becomes what the schema says; undefined where it has no meaning, or more than one. */
function conversionOf({ path, expected }: Issue, root: unknown): Change | undefined {
  const value = valueAt(root, path);
  const parent = valueAt(root, path.slice(0, -1));
  // An optional member without content. A required one is refused once it is left out.
  if (value === "" || (value === null && Array.isArray(parent))) return () => absent;
  if (expected === "date-time") return () => `${value}T00:00:00Z`; // midnight UTC (D-28)
  if (expected === "idn-email" || expected === "uri") return () => String(value).trim();
  if (expected === "string" && hasExactText(value)) return String;
  if (expected === "number" && typeof value === "string" && hasExactNumber(value)) return Number;
  if (expected !== "array") return undefined;
  if (typeof value === "string") return () => [value];
  // A search can do with its words alone; without both there is nothing to search for.
  return (value === undefined || value === null) && hasText(parent, "filter") ? () => [] : undefined;
}

/**
 * A number whose text is what was sent: JSON.parse rounds whole numbers beyond 2^53, and decimals of more than 15 digits. An id that
 * was rounded is another one's.
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

/** A copy in which one value is changed: the value may be a framework's own, such as Express' `request.body`. */
function changeAt(value: unknown, [key, ...rest]: Issue["path"], change: Change): unknown {
  if (key === undefined) return change(value);
  const isList = Array.isArray(value);
  const inner = changeAt(valueAt(value, [key]), rest, change);
  if (isList) return value.flatMap((entry, index) => (index !== key ? [entry] : inner === absent ? [] : [inner]));
  const members = Object.entries(value as object).filter(([name]) => name !== key);
  return Object.fromEntries(inner === absent ? members : [...members, [key, inner]]);
}
