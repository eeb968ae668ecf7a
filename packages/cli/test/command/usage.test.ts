import { expect, test } from "vitest";
import { runOffers } from "../support/run-offers.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const env = { WEBHOOK_SECRET: secret };

test.each([[[]], [["probe"]], [["listen"]], [["trigger"]], [["replay"]]])(
  "the help for %j has no line longer than 80 characters",
  async (args) => {
    const { code, stdout } = await runOffers([...args, "--help"]);
    expect(code).toBe(0);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    if (args.length > 0) expect(stdout).toContain("Examples:");
  },
);

test.each([
  [["probe", "--colour", "http://localhost:1"], {}, "unknown option '--colour'"],
  [["prob"], {}, "Did you mean probe?"],
  [["frob"], {}, "unknown command 'frob'. The commands are probe, listen, trigger, replay, catch-up."],
  [["probe"], {}, "Pass the base URL of your receiver, such as http://localhost:3001/offers."],
  [["probe", "localhost:3001"], env, "is not a URL. Use one that starts with http:// or https://"],
  [["probe", "http://localhost:1/?a=b"], env, "has a query or a fragment"],
  [["probe", "http://127.0.0.1:1"], {}, "No secret is set. Set WEBHOOK_SECRET"],
  [["probe", "http://127.0.0.1:1"], { WEBHOOK_SECRET: " " }, "The secret is empty."],
  [["probe", "http://127.0.0.1:1"], { WEBHOOK_SECRET: `${secret}\n` }, "starts or ends with white space"],
  [["probe", "http://127.0.0.1:1", "--secret-file", "/no/such/file"], {}, "cannot be read (ENOENT)"],
  [["probe", "http://127.0.0.1:1", "--scheme", "standard-webhooks"], env, "Standard Webhooks needs a base64 secret"],
  [["probe", "http://127.0.0.1:1", "--scheme", "both"], env, "Choose timestamp-digest or standard-webhooks."],
  [["probe", "http://127.0.0.1:1", "--only", "freshnes"], env, 'There is no group or case "freshnes"'],
  [["probe", "http://127.0.0.1:1"], env, "cannot be reached (ECONNREFUSED). Start your receiver first"],
  [["trigger", "worker-offer", "--to", "http://127.0.0.1:1"], env, "The events are worker-offer-response,"],
  [["trigger", "test-auth"], env, "required option '--to <url>' not specified"],
  [["trigger", "test-auth", "--too", "http://127.0.0.1:1"], env, "unknown option '--too'\n(Did you mean --to?)"],
  [["catch-up", "--form", "http://127.0.0.1:1"], env, "unknown option '--form'\n(Did you mean --from?)"],
  [["catch-up"], env, "required option '--from <url>' not specified"],
  [["trigger", "test-auth", "--to", "http://127.0.0.1:1"], env, "Start your receiver first"],
  [["trigger", "test", "--to", "http://127.0.0.1:1", "--set", "a=b"], env, "test has no fields to set."],
  [
    ["trigger", "worker-offer-response", "--to", "http://127.0.0.1:1", "--set", "offer=7"],
    env,
    'has no field "offer". Its fields are offerId, workerId, response.',
  ],
  [["trigger", "worker-offer-response", "--to", "http://127.0.0.1:1", "--set", "7"], env, "--set needs field=value"],
  [["listen", "--port", "70000"], env, "Use a port from 0 to 65535."],
  [["listen", "--host", "192.0.2.1"], env, "Choose another with --port"],
  [["listen", "--after", "x"], env, "option '--after' needs --from"],
  [["listen", "--from", "http://127.0.0.1:1"], env, "The API key is missing. Set OFFERS_API_KEY"],
  [["listen", "--record", "/no/such/folder/file"], env, "The --record file cannot be written (ENOENT)"],
  [["replay", "events.jsonl"], env, "required option '--to <url>' not specified"],
  [["replay", "x", "--to", "http://127.0.0.1:1", "--start-at", "0"], env, "Use a line number, counted from 1."],
  [["listen", "--secret", secret], env, "unknown option '--secret'"],
])("offers %j with %j exits with 2 and prints a remedy [D-102]", async (args, environment, message) => {
  const { code, stdout, stderr } = await runOffers(args, environment as Record<string, string>);
  expect(stderr).toContain(message);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).not.toContain(secret);
  expect(stderr).not.toContain("    at ");
});

test.each([
  ["porbe", "probe"],
  ["catchup", "catch-up"],
  ["trigerr", "trigger"],
  ["frob", undefined],
])("for the unknown command %s, offers suggests %s", async (unknownName, name) => {
  const { stderr } = await runOffers([unknownName]);
  expect(/Did you mean (\S+)\?/.exec(stderr)?.[1]).toBe(name);
});
