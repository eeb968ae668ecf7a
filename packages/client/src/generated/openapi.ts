export type { components, operations, paths } from "@offers/contract/openapi";
