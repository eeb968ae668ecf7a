import type { CheckEndpoint } from "./endpoint.ts";

/** 200 whatever the headers: the service calls it irrespective of authentication. */
export const test = { kind: "test", name: "Test", method: "GET", path: "/test" } satisfies CheckEndpoint<"/test">;
