import type { Request } from "express";

/** A decoded path parameter. Text that cannot be an id becomes the empty id, which matches nothing. */
export function pathParameter(request: Request, name: string): string {
  const value = request.params[name];
  // PostgreSQL refuses U+0000 in any text.
  return typeof value === "string" && !value.includes("\0") ? value : "";
}
