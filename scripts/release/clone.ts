import { delimiter, join } from "node:path";
import { runCommand } from "../processes/run-command.ts";

const root = join(import.meta.dirname, "../..");

/** Commits and annotated tags need an author and a committer, which a runner or a new machine may not have configured. */
const identity = {
  GIT_AUTHOR_NAME: "Rehearsal",
  GIT_AUTHOR_EMAIL: "rehearsal@example.com",
  GIT_COMMITTER_NAME: "Rehearsal",
  GIT_COMMITTER_EMAIL: "rehearsal@example.com",
};

export interface Clone {
  folder: string;
  /** The bare repository that it was cloned from. */
  origin: string;
  /** Installs the dependencies and builds every published package. */
  build(): Promise<void>;
  run(command: string, ...args: string[]): Promise<string>;
  git(...args: string[]): Promise<string>;
  /** Runs a command with a different environment, such as the environment of a maintainer who may publish. */
  runAs(env: Record<string, string | undefined>, command: string, ...args: string[]): Promise<string>;
}

/** Clones the latest commit into a bare repository, and clones that repository into a working copy. */
export async function cloneRepository(folder: string): Promise<Clone> {
  const origin = join(folder, "origin.git");
  const clone = join(folder, "offers");
  await runCommand("git", ["clone", "--quiet", "--bare", root, origin], { cwd: folder });
  await runCommand("git", ["clone", "--quiet", origin, clone], { cwd: folder });
  const runAs: Clone["runAs"] = (env, command, ...args) => {
    const path = [join(clone, "node_modules/.bin"), env.PATH].join(delimiter);
    return runCommand(command, args, {
      cwd: clone,
      env: { ...env, ...identity, PATH: path, OFFERS_BOOTSTRAPPED: "1" },
    });
  };
  const run: Clone["run"] = (command, ...args) => runAs(process.env, command, ...args);
  return {
    folder: clone,
    origin,
    run,
    runAs,
    // The same commands as in release.yml.
    async build() {
      await run(process.execPath, "scripts/bootstrap.mjs", "--build");
      await run("pnpm", "--filter", "./examples/*", "--if-present", "run", "build");
    },
    git: (...args) => run("git", ...args),
  };
}
