// Checks the packed packages' types in a strict project, with every supported TypeScript:
//   npm run check -- compatibility types
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { createFreshProject } from "../../scripts/release/packages/fresh-project.ts";
import { copyProgram, exportPrograms, moduleSystems, strict } from "./programs.ts";

const run = promisify(execFile);
const compilers = { "5.9": "5.9.3", "6.0": "6.0.3", "7.0": "7.0.2" };
const maxInstantiations = 80;

/** The globals that a user's program may have. */
const globals = {
  DOM: { lib: ["es2023", "dom"], types: [] },
  "DOM and Node": { lib: ["es2023", "dom"], types: ["node"] },
  Node: { lib: ["es2023"], types: ["node"] },
  neither: { lib: ["es2023"], types: [] },
};

/** The optional peers, in the versions of the workspace. */
const peers = ["msw", "zod", "@opentelemetry/api", "openapi-fetch", "@types/express"];

const project = await createFreshProject();
const failures: string[] = [];

/** Compiles one file. @returns the compiler's output, which is empty if the program has no errors */
async function compile(version: string, options: object, file: string, ...flags: string[]): Promise<string> {
  await project.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...strict, ...options }, files: [file] }));
  const compiler = join(project.folder, "node_modules", `typescript-${version}`, "bin/tsc");
  const { stdout } = await run(process.execPath, [compiler, "-p", project.folder, ...flags], {
    cwd: project.folder,
  }).catch((error: { stdout?: string; message: string }) => ({ stdout: error.stdout || error.message }));
  return stdout;
}

/** Calls `check` for each compiler and set of globals, and prints a table of the returned cells. */
async function forEachCompiler(
  check: (version: string, options: object, label: string) => Promise<object>,
): Promise<void> {
  const rows: object[] = [];
  for (const version of Object.keys(compilers))
    for (const [declared, options] of Object.entries(globals))
      rows.push({
        TypeScript: version,
        declared,
        ...(await check(version, options, `TypeScript ${version}, ${declared}`)),
      });
  console.table(rows);
}

/** Records a failure if there are errors. @returns the table cell */
function recordResult(label: string, errors: string): string {
  if (errors) failures.push(`${label}:\n${errors}`);
  return errors ? "FAILED" : "ok";
}

try {
  const aliases = Object.entries(compilers).map(([name, version]) => `typescript-${name}@npm:typescript@${version}`);
  await project.install("@types/node", ...aliases);
  const fourCalls = await copyProgram("four-calls", "mts", project.folder);
  await forEachCompiler(async (version, options, label) => {
    const cells: Record<string, unknown> = {};
    for (const [system, { extension, options: resolution }] of Object.entries(moduleSystems)) {
      const consumer = await copyProgram("consumer", extension, project.folder);
      const failuresProgram = await copyProgram("failures", extension, project.folder);
      const systemOptions = { ...options, ...resolution };
      // The kit's declarations refer to Node's types, such as Buffer.
      const errors =
        (await compile(version, systemOptions, consumer)) +
        (await compile(version, { ...systemOptions, skipLibCheck: true }, failuresProgram));
      cells[system] = recordResult(`${label}, ${system}`, errors);
    }
    // Errors in the libraries would hide those of the program.
    const measuredOptions = { ...options, module: "nodenext", skipLibCheck: true };
    const output = await compile(version, measuredOptions, fourCalls, "--extendedDiagnostics");
    const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1] ?? Number.NaN);
    // If the compiler did not print a number, `instantiations` is NaN, which is not a valid result either.
    if (!(instantiations <= maxInstantiations)) recordResult(`${label}: ${instantiations} instantiations`, output);
    return { ...cells, "instantiations for four calls": instantiations };
  });

  await project.install(...peers);
  const subpaths = await copyProgram("subpaths", "mts", project.folder);
  await forEachCompiler(async (version, options, label) => {
    const lines = (await compile(version, { ...options, module: "nodenext" }, subpaths)).split("\n");
    const isInPeer = (line: string) => /^node_modules\/(?!@offers\/)/.test(line);
    const ownErrors = lines.filter((line) => /error TS\d/.test(line) && !isInPeer(line));
    return {
      subpaths: recordResult(`${label}, subpaths`, ownErrors.join("\n")),
      "errors in peers' own types": lines.filter(isInPeer).length,
    };
  });

  // Emit declarations, which requires that the compiler can name the types of all exports.
  const emitOptions = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: "emitted" };
  const exportOptions = { ...globals["DOM and Node"], ...emitOptions, module: "nodenext", skipLibCheck: true };
  const rows: object[] = [];
  for (const { entry, code } of exportPrograms) {
    await project.write("exports.mts", code);
    const cells: Record<string, string> = {};
    for (const version of Object.keys(compilers))
      cells[version] = recordResult(
        `TypeScript ${version}, ${entry}`,
        await compile(version, exportOptions, "exports.mts"),
      );
    rows.push({ "can export what it returns": entry, ...cells });
  }
  console.table(rows);
} finally {
  await project.remove();
}

console.log(failures.length ? `\n${failures.join("\n")}` : "\nEvery program compiles.");
process.exitCode = failures.length ? 1 : 0;
