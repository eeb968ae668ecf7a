import type { Schema } from "./openapi.ts";

/** Formats a link to a decision. Returns an empty string without an id. */
export const decisionLink = (id: string | undefined): string =>
  id === undefined ? "" : ` ([${id}](../spec/decisions.yaml))`;

/** Describes the type of a schema in a few words, with links to named schemas. */
export function describeType(schema: Schema): string {
  if (schema.$ref !== undefined) return schemaLink(toSchemaName(schema.$ref));
  if (schema.type === "array")
    return `array of ${describeType(schema.items ?? {})}${formatRange(schema.minItems, schema.maxItems, "items")}`;
  const format = schema.format === undefined ? "" : ` (${schema.format})`;
  const values = schema.enum ?? schema["x-extensible-enum"];
  const listedValues = values ? `: ${values.map((value) => `\`${value}\``).join(", ")}` : "";
  const anyOther = schema["x-extensible-enum"] ? ", or another string" : "";
  const length = formatRange(schema.minLength === 1 ? undefined : schema.minLength, schema.maxLength, "characters");
  return `${schema.type ?? "any"}${format}${listedValues}${anyOther}${length}${formatRange(schema.minimum, schema.maximum, "")}`;
}

function formatRange(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return "";
  let range = `${min} to ${max}`;
  if (max === undefined) range = `at least ${min}`;
  if (min === undefined) range = `at most ${max}`;
  return `, ${`${range} ${unit}`.trim()}`;
}

export const toSchemaName = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

export const schemaLink = (name: string): string => `[${name}](#${name.toLowerCase()})`;

/** Renders a named schema as a table of its fields or, if it has no fields, as one line. */
export function renderSchema(name: string, schema: Schema): string {
  const intro = [schema.description, decisionLink(schema["x-decision"]).trim()].filter(Boolean).join(" ");
  if (!schema.properties) return [`### ${name}`, `${capitalise(describeType(schema))}. ${intro}`.trim()].join("\n\n");
  return [`### ${name}`, ...(intro === "" ? [] : [intro]), renderFields(schema)].join("\n\n");
}

/** Renders the fields of a schema as a table. */
export function renderFields(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([field, property]) => {
    const required = schema.required?.includes(field) ? "yes" : "";
    const meaning = `${property.description ?? ""}${decisionLink(property["x-decision"])}`.trim();
    return `| \`${field}\` | ${describeType(property)} | ${required} | ${escapeCell(meaning)} |`;
  });
  const table = ["| Field | Type | Required | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
  return schema.additionalProperties === false ? `${table}\n\nAny other field is rejected.` : table;
}

/** Renders the front matter of a page. @param keywords separated by commas */
export const renderFrontMatter = (title: string, description: string, keywords: string): string =>
  `---\ntitle: ${title}\ndescription: ${JSON.stringify(description)}\nkeywords: [${keywords}]\n---`;

/** Adds a full stop to a summary that does not end with punctuation. */
export const withFullStop = (summary: string): string => summary.replace(/[^.?]$/, "$&.");

/** Puts a string on one line and escapes it for a table cell. */
export const escapeCell = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")
    .trim();

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
