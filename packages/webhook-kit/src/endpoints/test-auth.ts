import type { CheckEndpoint } from "./endpoint.ts";

/** 200 only when the headers prove the secret. */
export const testAuth = {
  kind: "testAuth",
  name: "TestAuth",
  method: "GET",
  path: "/test/auth",
} satisfies CheckEndpoint<"/test/auth">;
