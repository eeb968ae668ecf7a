import type { Schema } from "./openapi.ts";

/** Links to the decision that a part of the contract cites. */
export const decisionLink = (id: string | undefined): string =>
  id === undefined ? "" : ` ([${id}](../spec/decisions.yaml))`;

/** A schema in a few words, with links to named schemas. */
export function printType(schema: Schema): string {
  if (schema.$ref !== undefined) return schemaLink(nameOf(schema.$ref));
  if (schema.type === "array")
    return `array of ${printType(schema.items ?? {})}${range(schema.minItems, schema.maxItems, "items")}`;
  const format = schema.format === undefined ? "" : ` (${schema.format})`;
  const values = schema.enum ?? schema["x-extensible-enum"];
  const listed = values ? `: ${values.map((value) => `\`${value}\``).join(", ")}` : "";
  const open = schema["x-extensible-enum"] ? ", or another text" : "";
  const length = range(schema.minLength === 1 ? undefined : schema.minLength, schema.maxLength, "characters");
  return `${schema.type ?? "any"}${format}${listed}${open}${length}${range(schema.minimum, schema.maximum, "")}`;
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return "";
  const text =
    most === undefined ? `at least ${least}` : least === undefined ? `at most ${most}` : `${least} to ${most}`;
  return `, ${`${text} ${unit}`.trim()}`;
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

export const schemaLink = (name: string): string => `[${name}](#${name.toLowerCase()})`;

/** A named schema: a table of its fields, or a line. */
export function printSchema(name: string, schema: Schema): string {
  const intro = [schema.description, decisionLink(schema["x-decision"]).trim()].filter(Boolean).join(" ");
  if (!schema.properties) return [`### ${name}`, `${capital(printType(schema))}. ${intro}`.trim()].join("\n\n");
  return [`### ${name}`, ...(intro === "" ? [] : [intro]), printFields(schema)].join("\n\n");
}

/** The fields of a schema as a table. */
export function printFields(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([field, property]) => {
    const required = schema.required?.includes(field) ? "yes" : "";
    const meaning = `${property.description ?? ""}${decisionLink(property["x-decision"])}`.trim();
    return `| \`${field}\` | ${printType(property)} | ${required} | ${cell(meaning)} |`;
  });
  const table = ["| Field | Type | Required | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
  return schema.additionalProperties === false ? `${table}\n\nAny other field is rejected.` : table;
}

/** The title, description and search words of a page; `keywords` are separated by commas. */
export const frontMatter = (title: string, description: string, keywords: string): string =>
  `---\ntitle: ${title}\ndescription: ${JSON.stringify(description)}\nkeywords: [${keywords}]\n---`;

/** A summary of the contract, with a full stop. */
export const sentence = (summary: string): string => summary.replace(/[^.?]$/, "$&.");

/** A string for a table cell. */
export const cell = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")
    .trim();

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
