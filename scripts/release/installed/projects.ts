import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyProgram, moduleSystems, strict } from "../../../tests/types/programs.ts";
import { startDemoPlatform } from "../../processes/demo-platform.ts";
import { freePort } from "../../processes/free-port.ts";
import { runCommand } from "../../processes/run-command.ts";
import { inBothModuleSystems, type ReadmeProgram, readmeProgram, signedStatuses } from "../packages/readme-program.ts";

/** An empty folder, and how to install into it from a registry. */
export interface NewProject {
  folder: string;
  env: Record<string, string | undefined>;
  /** The published packages, with their versions. */
  dependencies: Readonly<Record<string, string>>;
}

const types = { "@types/node": "24.19.2", "@types/express": "5.0.6", express: "5.3.0" };
const [, toScript] = inBothModuleSystems.map(([, compile]) => compile);
const node = process.execPath;

/** New projects of the kinds that users have: each installs, checks types if it has a compiler, and runs README.md. */
export const projects: Readonly<Record<string, (project: NewProject) => Promise<void>>> = {
  async "ES modules, nodenext"(project) {
    await npmInstall(project, { type: "module" }, { ...types, typescript: "6.0.3" });
    await writeReadmePrograms(project.folder, "mts");
    await copyProgram("consumer", "mts", project.folder);
    await compile(project, "typescript", "out", moduleSystems["nodenext, ES module"].options, "mts");
    await runReadmePrograms(project.folder, (program) => [node, `out/${program}.mjs`]);
  },

  async "CommonJS, nodenext"(project) {
    await npmInstall(project, { type: "commonjs" }, { ...types, typescript: "6.0.3" });
    await copyProgram("consumer", "cts", project.folder);
    await compile(project, "typescript", "out", moduleSystems["nodenext, CommonJS"].options, "cts", ["consumer"]);
    await writeReadmePrograms(project.folder, "cjs", toScript);
    await runReadmePrograms(project.folder, (program) => [node, `${program}.cjs`]);
  },
};

const writeManifest = (folder: string, manifest: object, dependencies: object): Promise<void> =>
  writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "fresh", version: "1.0.0", private: true, ...manifest, dependencies }),
  );

async function npmInstall(project: NewProject, manifest: object, others: object): Promise<void> {
  await writeManifest(project.folder, manifest, { ...project.dependencies, ...others });
  const { folder, env } = project;
  await runCommand("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, env });
  for (const name of Object.keys(project.dependencies)) {
    const { bin = {} } = JSON.parse(await readFile(join(folder, "node_modules", name, "package.json"), "utf8"));
    // Not with npx, which takes --help for itself.
    for (const file of Object.values<string>(bin))
      await runCommand(node, [join(folder, "node_modules", name, file), "--help"], { cwd: folder });
  }
}

/** Compiles these programs, with every check that the compiler has. */
async function compile(
  { folder }: NewProject,
  compiler: string,
  outDir: string,
  options: object,
  extension: string,
  programs: readonly string[] = ["call", "receive", "consumer"],
): Promise<void> {
  const files = programs.map((program) => `${program}.${extension}`);
  const environment = { lib: ["es2023", "dom"], types: ["node"], skipLibCheck: true };
  const compilerOptions = {
    ...strict,
    ...environment,
    ...options,
    noEmit: false,
    outDir,
    noPropertyAccessFromIndexSignature: false,
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const program = join(folder, "node_modules", compiler, "bin/tsc");
  await runCommand(node, [program, "-p", "tsconfig.json"], { cwd: folder });
}

const secret = "2b5f0e0e-4b0c-4f57-9d2a-6a3c1e6f7d10";

/** Writes both programs into a project, as `call` and `receive` with this extension. */
async function writeReadmePrograms(
  project: string,
  extension: string,
  compile: (code: string) => string = (code) => code,
): Promise<void> {
  for (const program of ["call", "receive"] as const)
    await writeFile(join(project, `${program}.${extension}`), compile(readmeProgram(program)));
}

/**
 * Runs both: against the reference platform, and against requests that openssl signed.
 *
 * @throws if one does not do what README.md says
 */
async function runReadmePrograms(
  project: string,
  commandOf: (program: ReadmeProgram) => readonly [command: string, ...args: string[]],
): Promise<void> {
  const platform = await startDemoPlatform();
  try {
    const [command, ...args] = commandOf("call");
    const env = { ...process.env, SERVICE_ADDRESS: platform.address };
    const printed = await runCommand(command, args, { cwd: project, env });
    if (printed !== "[ 'Amal Haddad: none' ]\n") throw new Error(`README.md's call printed ${printed}`);
  } finally {
    await platform.stop();
  }
  const port = await freePort();
  const [command, ...args] = commandOf("receive");
  const env = { ...process.env, SECRET: secret, PORT: String(port) };
  const receiver = spawn(command, args, { cwd: project, env, stdio: "ignore" });
  try {
    const statuses = await signedStatuses(`http://127.0.0.1:${port}/offers`, secret);
    if (statuses.join() !== "200,401,401,401") throw new Error(`README.md's receiver responded with ${statuses}`);
  } finally {
    receiver.kill("SIGKILL");
  }
}
