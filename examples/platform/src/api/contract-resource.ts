import type { RequestHandler, Router } from "express";
import type { paths } from "../generated/openapi.ts";
import { defineRoutes } from "../http/define-routes.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";
type RouteMethod<Path extends keyof paths> = {
  [Name in Method]: paths[Path] extends Record<Name, object> ? Name : never;
}[Method] &
  ("get" | "post");

/** Routes of one path of spec/openapi.yaml. Other paths and methods do not compile. */
export function defineContractRoutes<Path extends keyof paths>(
  router: Router,
  path: Path,
  methods: { [Name in RouteMethod<Path>]: RequestHandler } & { head?: false },
): void {
  defineRoutes(router, path.replaceAll(/\{(\w+)\}/g, ":$1"), methods);
}
