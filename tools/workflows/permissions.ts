import type { Permissions } from "./workflow.ts";

/** Whether these let a token write, anything or this. */
export function mayWrite(permissions: Permissions | undefined, scope?: string): boolean {
  if (typeof permissions === "string") return permissions !== "read-all";
  return Object.entries(permissions ?? {}).some(
    ([name, level]) => (scope === undefined || name === scope) && level !== "read" && level !== "none",
  );
}
