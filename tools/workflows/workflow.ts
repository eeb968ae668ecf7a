import { isAlias, isScalar, parseDocument, visit } from "yaml";

/** What a token may do; a string is one of GitHub's shorthands for everything. */
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
  /** A workflow that is called instead of steps. */
  readonly uses?: string;
  readonly permissions?: Permissions;
  readonly steps?: readonly Step[];
  readonly strategy?: { readonly matrix?: Readonly<Record<string, unknown>> };
  readonly env?: Readonly<Record<string, unknown>>;
  readonly secrets?: unknown;
  readonly "timeout-minutes"?: unknown;
  readonly "continue-on-error"?: unknown;
}

/** A file of `.github/workflows`, as far as the policy reads it. */
export interface Workflow {
  readonly triggers: readonly string[];
  readonly permissions?: Permissions;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
  /** Every `uses`, with the comment behind it. */
  readonly uses: readonly Use[];
}

export interface Use {
  readonly reference: string;
  readonly comment: string;
}

interface Content extends Omit<Workflow, "triggers" | "uses"> {
  readonly on: string | readonly string[] | Readonly<Record<string, unknown>>;
}

/** @throws when the text is not YAML */
export function parseWorkflow(text: string): Workflow {
  const document = parseDocument(text);
  for (const error of document.errors) throw error;
  const uses: Use[] = [];
  visit(document, {
    Pair(_, { key, value }) {
      const named = isAlias(value) ? value.resolve(document) : value;
      if (isScalar(key) && key.value === "uses" && isScalar(named))
        uses.push({ reference: String(named.value), comment: named.comment ?? "" });
    },
  });
  const { on, ...content } = document.toJS() as Content;
  const triggers = typeof on === "string" ? [on] : Array.isArray(on) ? on : Object.keys(on);
  return { ...content, triggers, uses };
}
