// The packed packages' types, in a project of strict users, for every TypeScript that they may have:
//   npm run types-matrix
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { freshProject } from "../packed/fresh-project.ts";
import { install } from "../recipes/install.ts";
import { consumers, fourCalls, globals, peers, subpaths } from "./consumer.ts";
import { failures as failurePrograms } from "./failures.ts";
import { strict } from "./strict.ts";

const run = promisify(execFile);
const compilers = { "5.9": "5.9.3", "6.0": "6.0.3", "7.0": "7.0.2" };
const maxInstantiations = 80;

const project = await freshProject();
const failures: string[] = [];

/** @returns what the compiler says; it says nothing of a program without a fault */
async function compile(version: string, options: object, files: string[], ...flags: string[]): Promise<string> {
  await project.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...strict, ...options }, files }));
  const compiler = join(project.folder, "node_modules", `typescript-${version}`, "bin/tsc");
  const { stdout } = await run(process.execPath, [compiler, "-p", project.folder, ...flags], {
    cwd: project.folder,
  }).catch((error: { stdout?: string; message: string }) => ({ stdout: error.stdout || error.message }));
  return stdout;
}

try {
  const aliases = Object.entries(compilers).map(([name, version]) => `typescript-${name}@npm:typescript@${version}`);
  await install(project, "@types/node", ...aliases);
  await project.write("four-calls.mts", fourCalls);
  const programs = [consumers, failurePrograms].flatMap((table) => Object.values(table));
  for (const { file, code } of programs) await project.write(file, code);

  const subpathFile = (name: string) => `subpath-${name.replace("/", "-")}.mts`;
  for (const [name, code] of Object.entries(subpaths))
    await project.write(subpathFile(name), `import { OffersClient } from "@offers/client";\n${code}\nexport {};\n`);

  const programTable: object[] = [];
  for (const version of Object.keys(compilers))
    for (const [declared, options] of Object.entries(globals)) {
      const cells: Record<string, string> = {};
      for (const [name, consumer] of Object.entries(consumers)) {
        const resolved = { ...options, ...consumer.options };
        const { file } = failurePrograms[name as keyof typeof failurePrograms];
        const said =
          (await compile(version, resolved, [consumer.file])) +
          // The kit's peer, zod, declares what DOM or Node must have declared.
          (await compile(version, { ...resolved, skipLibCheck: true }, [file]));
        cells[name] = said ? "FAILED" : "ok";
        if (said) failures.push(`TypeScript ${version}, ${declared}, ${name}:\n${said}`);
      }
      // Here the libraries' own checks would drown the program's.
      const output = await compile(
        version,
        { ...options, module: "nodenext", skipLibCheck: true },
        ["four-calls.mts"],
        "--extendedDiagnostics",
      );
      const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1] ?? Number.NaN);
      if (!(instantiations <= maxInstantiations))
        failures.push(`TypeScript ${version}, ${declared}: ${instantiations} instantiations\n${output}`);
      programTable.push({ TypeScript: version, declared, ...cells, "instantiations for four calls": instantiations });
    }
  console.table(programTable);

  await install(project, ...peers);
  const subpathTable: object[] = [];
  for (const version of Object.keys(compilers))
    for (const [declared, options] of Object.entries(globals)) {
      const files = Object.keys(subpaths).map(subpathFile);
      const lines = (await compile(version, { ...options, module: "nodenext" }, files)).split("\n");
      const isPeers = (line: string) => line.startsWith("node_modules/") && !line.startsWith("node_modules/@offers/");
      const ours = lines.filter((line) => /error TS\d/.test(line) && !isPeers(line));
      const cells = Object.keys(subpaths).map((name) => {
        const faults = ours.filter((line) => line.startsWith(subpathFile(name)) || line.includes(`/${name}.d.`));
        return [`/${name}`, faults.length ? "FAILED" : "ok"] as const;
      });
      if (ours.length) failures.push(`TypeScript ${version}, ${declared}, subpaths:\n${ours.join("\n")}`);
      const inPeers = lines.filter(isPeers).length;
      subpathTable.push({
        TypeScript: version,
        declared,
        ...Object.fromEntries(cells),
        "faults in peers' own types": inPeers,
      });
    }
  console.table(subpathTable);
} finally {
  await project.remove();
}

console.log(failures.length ? `\n${failures.join("\n")}` : "\nEvery program compiles.");
process.exitCode = failures.length ? 1 : 0;
