import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { problemKinds } from "../../examples/platform/src/http/problem.ts";

const spec = join(import.meta.dirname, "../../spec");
const readYaml = (name: string) => parse(readFileSync(join(spec, name), "utf8"));

interface Problem {
  title: string;
  status: number;
  detail?: string;
  code: keyof typeof problemKinds;
}

const responses: Record<string, { content?: Record<string, { examples?: Record<string, { value: Problem }> }> }> =
  readYaml("openapi.yaml").components.responses;
const examples = Object.values(responses).flatMap(({ content = {} }) =>
  Object.values(content["application/problem+json"]?.examples ?? {}).map(({ value }) => value),
);
const explanations: Record<string, { detail: string }> = readYaml("errors/platform.yaml");

/** The details that the platform builds from the request, so that each response has its own numbers. */
const variable = new Set(["rate_limited", "service_unavailable"]);

test.each(examples)(
  "the example of $code in openapi.yaml is what the platform sends",
  ({ code, title, status, detail }) => {
    expect({ title, status }).toEqual(problemKinds[code]);
    if (!variable.has(code)) expect(detail).toBe(explanations[code]?.detail);
  },
);
