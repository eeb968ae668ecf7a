import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** The schema keywords that spec/openapi.yaml uses. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: unknown[];
  "x-extensible-enum"?: unknown[];
  "x-decision"?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

interface Content {
  schema?: Schema;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
  "x-decision"?: string;
}

export interface Response {
  $ref?: string;
  description: string;
  "x-decision"?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  "x-decision"?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Response>;
  security?: object[];
  /** Set if only the reference platform has the operation. `@offers/client` has no method for such an operation. */
  "x-extension"?: string;
}

type Paths = Record<string, Record<string, Operation>>;

export interface OpenApi {
  info: { title: string; summary: string; description: string; version: string };
  tags: { name: string; description: string }[];
  paths: Paths;
  webhooks: Paths;
  components: {
    securitySchemes: Record<
      string,
      { type: string; name?: string; scheme?: string; description: string; "x-decision"?: string }
    >;
    schemas: Record<string, Schema>;
  };
}

export const readOpenApi = (root: string): OpenApi => parse(readFileSync(join(root, "spec/openapi.yaml"), "utf8"));

/** Resolves a local `$ref`. Returns any other value unchanged. */
export function resolveRef<T extends { $ref?: string }>(api: OpenApi, value: T): T {
  if (value.$ref === undefined) return value;
  const path = value.$ref.replace(/^#\//, "").split("/");
  let resolved: unknown = api;
  for (const key of path) resolved = (resolved as Readonly<Record<string, unknown>> | undefined)?.[key];
  if (resolved === undefined) throw new Error(`spec/openapi.yaml has no ${value.$ref}`);
  return resolved as T;
}
