import { expect, test } from "vitest";
import { createLog, errorFields } from "./log.ts";

function logLines(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLog("info", { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

test("writes the message and the fields as one line of JSON", () =>
  expect(logLines((log) => log.info({ route: "/offer", status: 200 }, "http.response"))).toMatchObject([
    { level: 30, msg: "http.response", route: "/offer", status: 200 },
  ]));

test.each<[string, (log: ReturnType<typeof createLog>) => void]>([
  ["alone", (log) => log.error(new Error("hunter2"))],
  ["with properties", (log) => log.error(Object.assign(new Error("x"), { detail: "Key (email)=(hunter2)" }))],
  ["with a message", (log) => log.error(new Error("hunter2"), "store.failed")],
  ["as a field", (log) => log.error({ err: new Error("hunter2") })],
  [
    "with its cause",
    (log) => log.error(new Error("x", { cause: Object.assign(new Error("hunter2"), { detail: "hunter2" }) })),
  ],
])("logs an error %s without its message", (_, write) => {
  const [line] = logLines(write);
  expect(line).toMatchObject({ level: 50, err: { error: "Error" } });
  expect(JSON.stringify(line)).not.toContain("hunter2");
});

test("omits fields with secrets or personal data, at any depth and in upper or lower case", () => {
  const secrets = {
    secret: "hunter2",
    token: "hunter2",
    Authorization: "hunter2",
    emailAddress: "hunter2",
    body: "hunter2",
  };
  const [line] = logLines((log) =>
    log.info({ kept: 1, ...secrets, request: { kept: 2, headers: secrets, ...secrets } }),
  );
  expect(line).toMatchObject({ kept: 1, request: { kept: 2 } });
  expect(JSON.stringify(line)).not.toContain("hunter2");
});

test("logs the class, code and location of an error and its cause, but not their messages", () => {
  const cause = Object.assign(new RangeError("value hunter2"), { code: "22P02", detail: "Key (hunter2)" });
  const fields = errorFields(new TypeError("about hunter2\nat hunter2", { cause }));
  expect(fields).toMatchObject({ error: "TypeError", cause: { error: "RangeError", code: "22P02" } });
  expect(JSON.stringify(fields)).toContain("log.test.ts");
  expect(JSON.stringify(fields)).not.toContain("hunter2");
});

test.each(["about\n    at hunter2", "about\n    at hunter2 (file:1:1)", "$&\n    at hunter2 (file:1:1)"])(
  "does not log a message that looks like a stack frame: %j",
  (message) => {
    const fields = errorFields(new Error(message));
    expect(JSON.stringify(fields)).toContain("log.test.ts");
    expect(JSON.stringify(fields)).not.toContain("hunter2");
  },
);

test("logs an error that is its own cause", () => {
  const error = new Error("circular");
  error.cause = error;
  expect(errorFields(error)).toMatchObject({ error: "Error", cause: { error: "Error" } });
});

test("logs only the type of a value that is not an error", () =>
  expect(errorFields("hunter2")).toEqual({ error: "string" }));
