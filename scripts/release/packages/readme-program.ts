import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { findSnippets } from "../../snippets/read.ts";

const root = join(import.meta.dirname, "../../..");

/** The package that each of the two programs in README.md imports. One calls the service, and the other receives webhooks. */
const programs = { call: "@offers/client", receive: "@offers/webhook-kit/express" } as const;
type Program = keyof typeof programs;

/** Code that reads an environment variable, keyed by the code that it replaces. It lets each run choose its URL, port and secret. */
const replacements: Record<Program, Readonly<Record<string, string>>> = {
  call: { '"http://127.0.0.1:3000"': 'process.env.SERVICE_ADDRESS ?? ""' },
  receive: {
    ".listen(3001,": ".listen(Number(process.env.PORT),",
    '"demo-webhook-secret"': 'process.env.SECRET ?? ""',
  },
};

/** Loads a program from README.md, changed to read SERVICE_ADDRESS, PORT and SECRET from the environment. */
export function loadReadmeProgram(program: Program): string {
  const snippet = [...findSnippets("README.md", readFileSync(join(root, "README.md"), "utf8"))].find(({ code }) =>
    code.includes(`"${programs[program]}"`),
  );
  if (!snippet) throw new Error(`README.md has no snippet that imports ${programs[program]}`);
  let { code } = snippet;
  for (const [original, replacement] of Object.entries(replacements[program])) {
    if (!code.includes(original)) throw new Error(`README.md's program does not contain ${original}`);
    code = code.replace(original, replacement);
  }
  return code;
}

/** A file name, and a function that compiles a snippet for it. */
export type ModuleSystem = readonly [file: string, compile: (code: string) => string];

/** An ES module and a CommonJS script. */
export const moduleSystems: readonly ModuleSystem[] = [
  ["snippet.mjs", (code) => transpile(code, ts.ModuleKind.ESNext)],
  // A CommonJS script cannot await at its top level.
  ["snippet.cjs", (code) => `(async () => {\n${transpile(code, ts.ModuleKind.CommonJS)}\n})();\n`],
];

function transpile(code: string, module: ts.ModuleKind): string {
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } });
  return outputText;
}
