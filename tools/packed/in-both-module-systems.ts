import ts from "typescript";

/** A snippet as the file that a reader would make of it: an ES module, or a CommonJS script. */
export const inBothModuleSystems: readonly (readonly [file: string, compile: (code: string) => string])[] = [
  ["snippet.mjs", (code) => transpile(code, ts.ModuleKind.ESNext)],
  // A CommonJS script can't await at its top.
  ["snippet.cjs", (code) => `(async () => {\n${transpile(code, ts.ModuleKind.CommonJS)}\n})();\n`],
];

function transpile(code: string, module: ts.ModuleKind): string {
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } });
  return outputText;
}
