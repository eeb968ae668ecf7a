import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isAlias, isScalar, parseDocument, visit } from "yaml";

/** The permissions of a token. A string is GitHub's shorthand for all of them, such as `read-all`. */
export type Permissions = string | Readonly<Record<string, string>>;

export interface Step {
  readonly if?: unknown;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly "continue-on-error"?: unknown;
}

export interface Job {
  readonly if?: unknown;
  readonly needs?: string | readonly string[];
  /** The deployment environment. GitHub waits for its reviewers before the job starts. */
  readonly environment?: unknown;
  /** The reusable workflow to call instead of running steps. */
  readonly uses?: string;
  readonly permissions?: Permissions;
  readonly steps?: readonly Step[];
  readonly strategy?: { readonly matrix?: Readonly<Record<string, unknown>> };
  readonly env?: Readonly<Record<string, unknown>>;
  readonly secrets?: unknown;
  readonly "timeout-minutes"?: unknown;
  readonly "continue-on-error"?: unknown;
}

/** The fields of a file in `.github/workflows` that the policy reads. */
export interface Workflow {
  readonly triggers: readonly string[];
  readonly permissions?: Permissions;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
  /** Every `uses`, with the YAML comment that follows it. */
  readonly uses: readonly { reference: string; comment: string }[];
}

interface ParsedWorkflow extends Omit<Workflow, "triggers" | "uses"> {
  readonly on: string | readonly string[] | Readonly<Record<string, unknown>>;
}

/** Parses a workflow. @throws if the string is not YAML */
export function parseWorkflow(text: string): Workflow {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw error;
  const uses: { reference: string; comment: string }[] = [];
  visit(document, {
    Pair(_, { key, value }) {
      const resolvedValue = isAlias(value) ? value.resolve(document) : value;
      if (isScalar(key) && key.value === "uses" && isScalar(resolvedValue))
        uses.push({ reference: String(resolvedValue.value), comment: resolvedValue.comment ?? "" });
    },
  });
  const { on, ...content } = document.toJS() as ParsedWorkflow;
  return { ...content, triggers: listTriggers(on), uses };
}

function listTriggers(on: ParsedWorkflow["on"]): readonly string[] {
  if (typeof on === "string") return [on];
  return Array.isArray(on) ? on : Object.keys(on);
}

const githubFolder = resolve(import.meta.dirname, "../../../.github");

/** Reads the matching files. The keys are the paths relative to the folder. */
function readMatchingFiles(folder: string, pattern: string): ReadonlyMap<string, string> {
  const paths = globSync(pattern, { cwd: join(githubFolder, folder) });
  return new Map(paths.map((path) => [path, readFileSync(join(githubFolder, folder, path), "utf8")]));
}

/** Reads every workflow, by file name. */
export const readWorkflows = () => readMatchingFiles("workflows", "*.yml");

/** Reads every action in this repository, by path. */
export const readActions = () => readMatchingFiles("actions", "*/action.yml");

/**
 * Finds the npm scripts and checks that a workflow runs on any event, such as `bench` or `check slow`. A script runs only `sometimes` if
 * its step or job has a condition.
 */
export function findNpmScripts({ jobs }: Workflow): { always: string[]; sometimes: string[] } {
  const npmScripts = { always: [] as string[], sometimes: [] as string[] };
  for (const job of Object.values(jobs))
    for (const step of job.steps ?? []) {
      const scripts = [step.run, ...Object.values(step.with ?? {})].flatMap((text) =>
        findScriptNames(String(text ?? "")),
      );
      const names = scripts.flatMap((name) => {
        const [variable] = /(?<=\$)\w+$/.exec(name) ?? [];
        if (variable === undefined) return [name];
        // A value may list several checks, separated by spaces.
        const values = resolveMatrixVariable(variable, step.env, job).flatMap((value) => value.split(" "));
        return values.map((value) => name.replace(`$${variable}`, value));
      });
      const isConditional = step.if !== undefined || job.if !== undefined;
      npmScripts[isConditional ? "sometimes" : "always"].push(...names);
    }
  return npmScripts;
}

/** Finds the npm scripts that a command runs. `npm run check -- slow` runs `check slow`, and `npm test` runs `test`. */
const findScriptNames = (text: string): string[] =>
  [...text.matchAll(/\bnpm (?:run(?: --[\w-]+)* (check -- "?\$?[\w:-]+|[\w:-]+)|(test|start)\b)/g)].map(
    ([, runScript = "", name = runScript]) => name.replace(/ -- "?/, " "),
  );

/** Returns every value of a variable in a step. A variable from the job matrix has several values. */
function resolveMatrixVariable(variable: string, env: Job["env"], { env: jobEnv, strategy }: Job): string[] {
  const value = String(env?.[variable] ?? jobEnv?.[variable] ?? "");
  const [, dimension] = /^\$\{\{ *matrix\.([\w-]+) *\}\}$/.exec(value) ?? [];
  const values = dimension === undefined ? [value] : strategy?.matrix?.[dimension];
  return Array.isArray(values) ? values.map(String) : [];
}
