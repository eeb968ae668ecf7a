import type { Job, Permissions, Step, Workflow } from "./workflow.ts";

/** Checks a workflow. @returns its errors */
export type Rule = (workflow: Workflow) => readonly string[];

/** Triggers that outsiders cannot use to start a run with permissions in this repository. */
const safeTriggers = ["pull_request", "push", "schedule", "workflow_call", "workflow_dispatch"];

/** Actions allowed in a job that may publish. They run no code from this repository or from a dependency. */
const allowedActions = ["actions/download-artifact", "actions/setup-node"];

/** Matches commands that run or download code, and executable files. */
const buildCommand =
  /\b(npx|pnpx?|yarn|corepack|bunx?|deno|node|make|tsc|tsup|git|docker|python3?|perl|eval|curl|wget)\b|\bnpm\s+(?!publish\b|view\b)|(^|[;&|(]|\b(then|do|else)\b)\s*(bash|sh|source|\.|[\w.-]*\/\S+)(\s|$)/m;

/** Matches `npm publish` with a folder instead of a tarball, which would run the scripts in package.json. */
const folderPublication = /\bnpm\s+publish\b(?!\s+("?\$\w*tarball\w*"?|\S+\.tgz)(\s|$))/m;

/** Matches the command that fails unless every hash is present and correct. */
const hashCheck = /\bsha256sum --check --strict\b/;

export const rules: Readonly<Record<string, Rule>> = {
  "every action is pinned to a commit, with its version in a comment": ({ uses }) =>
    uses.flatMap(({ reference, comment }) => {
      // The policy reads these files too.
      if (/^\.\/\.github\/(workflows\/[\w-]+\.ya?ml|actions\/[\w-]+)$/.test(reference)) return [];
      if (/^docker:\/\/\S+@sha256:[0-9a-f]{64}$/.test(reference)) return [];
      if (reference.startsWith("./"))
        return [`${reference}: an action of this repository, which the policy does not read`];
      if (!/^[\w.-]+\/[\w.-]+(\/[\w./-]+)?@[0-9a-f]{40}$/.test(reference))
        return [`${reference}: not pinned to a commit`];
      return /^ v\d+\.\d+\.\d+$/.test(comment) ? [] : [`${reference}: without its version as a comment`];
    }),

  "a workflow has no permissions, or read permissions only": ({ permissions }) =>
    permissions === undefined || typeof permissions === "string" || mayWrite(permissions)
      ? ["top-level permissions are neither {} nor read-only"]
      : [],

  "a job lists each of its permissions": checkJobs(({ permissions, secrets }) => [
    ...(typeof permissions === "string" ? [permissions] : []),
    ...(secrets === "inherit" ? ["inherits every secret"] : []),
  ]),

  "a job that may publish does not build": checkJobs(({ permissions, uses, steps = [] }) => {
    if (!mayWrite(permissions, "id-token")) return [];
    return uses === undefined ? steps.flatMap(findExecutedCode) : [`calls ${uses} with permission to publish`];
  }),

  "a job that may publish waits for a reviewer": checkJobs(({ permissions, environment }) =>
    mayWrite(permissions, "id-token") && environment === undefined ? ["without an environment"] : [],
  ),

  "the published bytes are those that were tested": checkJobs(({ permissions, steps = [] }) =>
    mayWrite(permissions, "id-token")
      ? steps.flatMap(({ run = "" }) =>
          /\bnpm\s+publish\b/.test(run) && !hashCheck.test(run.split(/\bnpm\s+publish\b/)[0] ?? "")
            ? ["publishes before it compares the hashes"]
            : [],
        )
      : [],
  ),

  "no npm token is stored": ({ jobs }) =>
    (JSON.stringify(jobs).match(/NODE_AUTH_TOKEN|NPM_TOKEN|_authToken|registry-url/gi) ?? []).map(
      (found) => `contains ${found}`,
    ),

  "a pull request's run has no write permissions and no secrets": (workflow) => {
    if (!workflow.triggers.includes("pull_request")) return [];
    const errors = checkJobs(({ permissions }) => (mayWrite(permissions) ? ["may write"] : []))(workflow);
    return /\bsecrets\b/.test(JSON.stringify(workflow.jobs)) ? [...errors, "reads secrets"] : errors;
  },

  "only this repository's main branch has write permissions": ({ jobs }) => {
    /** Whether this job, or a job that it needs, runs only on the main branch of this repository. */
    const isGuarded = (name: string): boolean => {
      const { if: condition = "", needs = [] } = jobs[name] ?? {};
      const conditions = ["github.repository_owner == 'offers'", "github.ref == 'refs/heads/main'"];
      const isMainOnly = conditions.every((expression) => String(condition).includes(expression));
      return isMainOnly || [needs].flat().some(isGuarded);
    };
    return Object.entries(jobs).flatMap(([name, { permissions }]) =>
      mayWrite(permissions) && !isGuarded(name) ? [`${name}: may write in a fork or on another branch`] : [],
    );
  },

  "outsiders cannot start a run that has permissions": (workflow) =>
    workflow.triggers.filter((trigger) => !safeTriggers.includes(trigger)).map((trigger) => `on: ${trigger}`),

  "no expression becomes part of a script": checkSteps(({ run, with: inputs = {} }) => {
    const scripts = Object.entries(inputs).flatMap(([key, value]) => (/script/i.test(key) ? [value] : []));
    return [run, ...scripts].map((script) => String(script ?? "").trim()).filter((script) => script.includes("${{"));
  }),

  "a checkout does not keep credentials": checkSteps(({ uses = "", with: inputs }) =>
    uses.startsWith("actions/checkout@") && inputs?.["persist-credentials"] !== false
      ? ["checkout without persist-credentials: false"]
      : [],
  ),

  "every job has a time limit": checkJobs(({ uses, "timeout-minutes": minutes }) =>
    uses === undefined && typeof minutes !== "number" ? ["without timeout-minutes"] : [],
  ),

  "a failing step fails its workflow": checkJobs(({ steps = [], ...job }) =>
    [job, ...steps].flatMap((entry) => (entry["continue-on-error"] === undefined ? [] : ["continue-on-error"])),
  ),

  "a workflow's runs do not pile up": ({ concurrency }) => (concurrency === undefined ? ["without concurrency"] : []),
};

/** Creates a rule that checks each job, and prefixes its errors with the job name. */
function checkJobs(findErrors: (job: Job) => readonly string[]): Rule {
  return ({ jobs }) =>
    Object.entries(jobs).flatMap(([name, job]) => findErrors(job).map((error) => `${name}: ${error}`));
}

/** Creates a rule that checks each step of each job, and prefixes its errors with the job name. */
function checkSteps(findErrors: (step: Step) => readonly string[]): Rule {
  return checkJobs(({ steps = [] }) => steps.flatMap(findErrors));
}

/** Finds the actions and commands in a step that might execute code from this repository or from a dependency. */
function findExecutedCode({ uses, run }: Step): string[] {
  const errors: string[] = [];
  if (uses !== undefined && !allowedActions.includes(uses.replace(/@.*/, ""))) errors.push(`uses ${uses}`);
  for (const pattern of [buildCommand, folderPublication]) {
    const [command] = pattern.exec(run ?? "") ?? [];
    if (command !== undefined) errors.push(`runs ${command.trim()}`);
  }
  return errors;
}

/** Whether these permissions let a token write to the scope or, without one, to any scope. */
function mayWrite(permissions: Permissions | undefined, scope?: string): boolean {
  if (typeof permissions === "string") return permissions !== "read-all";
  return Object.entries(permissions ?? {}).some(
    ([name, level]) => (scope === undefined || name === scope) && level !== "read" && level !== "none",
  );
}
