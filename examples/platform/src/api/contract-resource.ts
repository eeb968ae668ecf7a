import type { RequestHandler, Router } from "express";
import type { paths } from "../generated/openapi.ts";
import { resource } from "../http/define-routes.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";
type MethodOf<Path extends keyof paths> = {
  [Name in Method]: paths[Path] extends Record<Name, object> ? Name : never;
}[Method] &
  ("get" | "post");

/** A path of spec/openapi.yaml with a handler for each of its methods: any other path or method is no type. */
export function contractResource<Path extends keyof paths>(
  router: Router,
  path: Path,
  methods: { [Name in MethodOf<Path>]: RequestHandler } & { head?: false },
): void {
  resource(router, path.replaceAll(/\{(\w+)\}/g, ":$1"), methods);
}
