import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readSandboxOptions, replaceSettingNames, sandboxSettings } from "./options.ts";

const toSettings = (...args: string[]) => {
  const options = readSandboxOptions(args, "1.0.0");
  if (!options) throw new Error("readSandboxOptions returned no options");
  return sandboxSettings(options);
};

test("listens on loopback, allows loopback names and stores data in the cache folder by default [D-106]", () => {
  const settings = toSettings();
  expect(settings).toMatchObject({ port: 3000, host: "127.0.0.1", dialect: "reference", databaseUrl: undefined });
  expect(settings.allowedHosts).toEqual(["127.0.0.1"]);
  expect(settings.dataFolder).toMatch(/[\\/]offers-sandbox/);
});

test("converts options to settings", () =>
  expect(
    toSettings("--port", "0", "--data", "here", "--dialect=live", "--allow-host", "a", "--allow-host=b.c"),
  ).toMatchObject({
    port: 0,
    dataFolder: "here",
    dialect: "live",
    allowedHosts: ["a", "b.c", "127.0.0.1"],
  }));

test.each([
  [["--prot", "1"], /^unknown option '--prot' \(Did you mean --port\?\); offers-sandbox --help shows all options$/],
  [["--port"], /^option '--port <port>' argument missing; /],
  [["start"], /^too many arguments/],
  [["--webhooks-to", "localhost:3001"], /^Invalid --webhooks-to: expected a base URL, such as http/],
  [["--webhooks-to", "ftp://example.com"], /^Invalid --webhooks-to/],
  [["--reset", "--database-url", "postgres://x@y/z"], /^--reset deletes only the embedded store/],
])("rejects %j", (args, message) => expect(() => readSandboxOptions(args, "1.0.0")).toThrow(message));

test.each([
  [["--port", "70000"], "Invalid --port: expected a port from 0 (any free one) to 65535; got 70000"],
  [["--dialect", "dead"], "Invalid --dialect: expected one of reference, live; got dead"],
  [["--database-url", "mysql://secret"], "Invalid --database-url: expected postgres://user@host/database"],
  [["--allow-host", "http://x"], /^Invalid --allow-host: expected host names/],
])("rejects %j with a message about the option", (args, message) => {
  const read = (): unknown => {
    try {
      return toSettings(...args);
    } catch (error) {
      throw new Error(replaceSettingNames((error as Error).message));
    }
  };
  expect(read).toThrow(message);
});

test("the help and the README list the same options, and the help fits into 80 columns", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const findOptions = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name).sort();
  const print = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  expect(readSandboxOptions(["--help"], "1.0.0")).toBeUndefined();
  const help = print.mock.calls.join("");
  const options = findOptions(help, /^ {2}(?:-h, )?(--[a-z-]+)/gm);
  expect(options.length).toBeGreaterThan(10);
  expect(findOptions(readme, /^\| `(--[a-z-]+)/gm)).toEqual(options);
  for (const line of help.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  for (const option of options)
    expect(() => readSandboxOptions([String(option)], "1.0.0")).not.toThrow("unknown option");
  print.mockRestore();
});
