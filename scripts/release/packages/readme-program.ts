import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { findSnippets } from "../../snippets/read.ts";

const root = join(import.meta.dirname, "../../..");

/** The two programs of README.md: one calls the service, the other receives webhooks. */
const programs = { call: "@offers/client", receive: "@offers/webhook-kit/express" } as const;
type Program = keyof typeof programs;

/** The code that reads an environment variable, by the code that it replaces, so that each run has its own URL, port and secret. */
const variables: Record<Program, Readonly<Record<string, string>>> = {
  call: { '"http://127.0.0.1:3000"': 'process.env.SERVICE_ADDRESS ?? ""' },
  receive: {
    ".listen(3001,": ".listen(Number(process.env.PORT),",
    '"demo-webhook-secret"': 'process.env.SECRET ?? ""',
  },
};

/** Reads a program in README.md, and makes it read SERVICE_ADDRESS, PORT and SECRET from the environment. */
export function loadReadmeProgram(program: Program): string {
  const snippet = [...findSnippets("README.md", readFileSync(join(root, "README.md"), "utf8"))].find(({ code }) =>
    code.includes(`"${programs[program]}"`),
  );
  if (!snippet) throw new Error(`README.md has no snippet that imports ${programs[program]}`);
  return Object.entries(variables[program]).reduce((code, [literal, variable]) => {
    if (!code.includes(literal)) throw new Error(`README.md's program does not contain ${literal}`);
    return code.replace(literal, variable);
  }, snippet.code);
}

/** A file name, and a function that compiles a snippet for it. */
export type ModuleSystem = readonly [file: string, compile: (code: string) => string];

/** An ES module, or a CommonJS script. */
export const inBothModuleSystems: readonly ModuleSystem[] = [
  ["snippet.mjs", (code) => transpile(code, ts.ModuleKind.ESNext)],
  // A CommonJS script cannot await at its top level.
  ["snippet.cjs", (code) => `(async () => {\n${transpile(code, ts.ModuleKind.CommonJS)}\n})();\n`],
];

function transpile(code: string, module: ts.ModuleKind): string {
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } });
  return outputText;
}
