import type { Job, Workflow } from "./workflow.ts";

/** The npm scripts that a workflow runs, whatever the event; a step or a job that has a condition may run nothing. */
export function npmScriptsOf({ jobs }: Workflow): { always: string[]; sometimes: string[] } {
  const found = { always: [] as string[], sometimes: [] as string[] };
  for (const job of Object.values(jobs))
    for (const step of job.steps ?? []) {
      const scripts = [step.run, ...Object.values(step.with ?? {})].flatMap((text) => scriptsIn(String(text ?? "")));
      const names = scripts.flatMap((name) => (name.startsWith("$") ? valuesOf(name.slice(1), step.env, job) : [name]));
      found[step.if === undefined && job.if === undefined ? "always" : "sometimes"].push(...names);
    }
  return found;
}

const scriptsIn = (text: string): string[] =>
  [...text.matchAll(/\bnpm (?:run(?: --[\w-]+)* "?(\$?[\w:-]+)"?|(test|start)\b)/g)].map(
    ([, named = "", short = named]) => short,
  );

/** What a variable is that takes its values from the job's matrix. */
function valuesOf(variable: string, env: Job["env"], { env: ofJob, strategy }: Job): string[] {
  const value = String(env?.[variable] ?? ofJob?.[variable] ?? "");
  const [, dimension] = /^\$\{\{ *matrix\.([\w-]+) *\}\}$/.exec(value) ?? [];
  const values = dimension === undefined ? [value] : strategy?.matrix?.[dimension];
  return Array.isArray(values) ? values.map(String) : [];
}
