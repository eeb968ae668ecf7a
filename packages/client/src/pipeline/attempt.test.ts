import { expect, test } from "vitest";
import { attempt } from "./attempt.ts";

const codeAfter = async (cause: Error): Promise<string> => {
  const request = {
    operation: "CreateOffer",
    attempt: 1,
    method: "POST",
    url: "https://service.example/offer",
    headers: {},
    body: "{}",
    signal: new AbortController().signal,
  } as const;
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  return attempt(request, { fetch }, String).then(
    () => expect.unreachable(),
    (error) => error.code,
  );
};

const failure = (code: string, syscall?: string) => Object.assign(new Error(), { code, ...(syscall && { syscall }) });
/** As Node tells of a name with several addresses: a code, and an error for each try. */
const allTries = (code: string, ...tries: Error[]) => Object.assign(new AggregateError(tries), { code });

test.each([
  ["ECONNREFUSED", failure("ECONNREFUSED")],
  ["ENOTFOUND", failure("ENOTFOUND", "getaddrinfo")],
  ["EAI_AGAIN", failure("EAI_AGAIN", "getaddrinfo")],
  ["UND_ERR_CONNECT_TIMEOUT", failure("UND_ERR_CONNECT_TIMEOUT")],
  ["connect EHOSTUNREACH", failure("EHOSTUNREACH", "connect")],
  ["connect ENETUNREACH", failure("ENETUNREACH", "connect")],
  [
    "connect ENETUNREACH at every address",
    allTries("ENETUNREACH", failure("ENETUNREACH", "connect"), failure("ETIMEDOUT", "connect")),
  ],
])("after %s nothing has left", async (_what, cause) => expect(await codeAfter(cause)).toBe("connection_not_made"));

test.each([
  ["ECONNRESET", failure("ECONNRESET", "read")],
  ["read EHOSTUNREACH", failure("EHOSTUNREACH", "read")],
  ["write ENETUNREACH", failure("ENETUNREACH", "write")],
  ["EHOSTUNREACH of an unknown call", failure("EHOSTUNREACH")],
  [
    "EHOSTUNREACH with an unknown call among the tries",
    allTries("EHOSTUNREACH", failure("EHOSTUNREACH", "connect"), failure("EHOSTUNREACH")),
  ],
  ["EHOSTUNREACH without a try", allTries("EHOSTUNREACH")],
])("after %s it may have arrived", async (_what, cause) => expect(await codeAfter(cause)).toBe("connection_lost"));
