import type { Request } from "express";

/** A parameter of the route's path, decoded. A text that no id can be is an id that nothing has. */
export function pathParameter(request: Request, name: string): string {
  const value = request.params[name];
  // PostgreSQL refuses U+0000 in any text.
  return typeof value === "string" && !value.includes("\0") ? value : "";
}
