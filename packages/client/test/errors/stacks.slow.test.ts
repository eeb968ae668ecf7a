// What users see when a call fails in their own project, with Node's default settings.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findUnusedUrl, respondWith, serve } from "../support/serve.ts";

/** Writes the lines to a file in a user's project, and runs the file until it exits. */
async function runProject(lines: string[], env: Record<string, string> = {}) {
  // Inside this package, so that the package name resolves as in a user's project.
  const folder = mkdtempSync(join(import.meta.dirname, "project-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "hire.mjs"), lines.join("\n"));
  const child = spawn(process.execPath, ["hire.mjs"], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: "", ...env },
  });
  let stderr = "";
  let stdout = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdout.on("data", (chunk) => (stdout += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, stderr, stdout };
}

const source = new URL("../../src/", import.meta.url).href;
const programStart = [
  `import * as offers from "${source}index.ts";`,
  'const client = new offers.OffersClient({ baseUrl: process.env.BASE_URL, apiKey: "key", maxRetries: 0 });',
];
const input = '{ createdByUserId: "u", title: "t", workerIds: ["w"] }';
const calls = {
  createOffer: `client.createOffer(${input})`,
  getOffer: 'client.getOffer("a")',
  completeOffer: 'client.completeOffer("a", ["w"])',
  withdrawOffer: 'client.withdrawOffer("a")',
};

test.each(Object.entries(calls))(
  "without an await, a failing %s ends the process with an error that contains the operation [D-97]",
  async (name, call) => {
    const { baseUrl } = await serve(respondWith(409));
    const lines = [...programStart, "", `${call};`, "setTimeout(() => console.log('still here'), 60_000);"];
    const { code, stderr, stdout } = await runProject(lines, { BASE_URL: baseUrl });
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("ConflictError");
    expect(stderr.toLowerCase()).toContain(`conflicterror: ${name.toLowerCase()} at `);
  },
);

test("without an await, the error contains operation and docsUrl, because its stack does not show the caller's line [D-97]", async () => {
  const { baseUrl } = await serve(respondWith(409));
  const show = "({ operation, docsUrl, stack }) => console.log(operation, docsUrl, stack.includes('hire.mjs'))";
  const lines = [...programStart, `process.on("unhandledRejection", ${show});`, 'client.withdrawOffer("a");'];
  const { stdout } = await runProject(lines, { BASE_URL: baseUrl });
  expect(stdout).toMatch(/^WithdrawOffer https:\S+\/errors\.md#conflict false\n$/);
});

test("without an await, withResponse and a refused connection end the process too", async () => {
  const { baseUrl } = await serve(respondWith(404));
  for (const [call, url, expectedMessage] of [
    ['client.getOffer("a").withResponse();', baseUrl, "NotFoundError: GetOffer at "],
    ['client.getOffer("a");', await findUnusedUrl(), "ConnectionError: GetOffer at "],
    ['client.getOffer("..");', baseUrl, "UsageError: GetOffer: id "],
  ] as const) {
    const { code, stderr } = await runProject([...programStart, call], { BASE_URL: url });
    expect(code).toBe(1);
    expect(stderr).toContain(expectedMessage);
  }
});

test("without an await, a failing call by a traced client ends the process too", async () => {
  const { baseUrl } = await serve(respondWith(404));
  const traced = `import { TracedOffersClient } from "${source}opentelemetry.ts";`;
  const options = '{ baseUrl: process.env.BASE_URL, apiKey: "key" }';
  const lines = [traced, `const client = new TracedOffersClient(${options});`, 'client.getOffer("a");'];
  const { code, stderr } = await runProject(lines, { BASE_URL: baseUrl });
  expect(code).toBe(1);
  expect(stderr).toContain("NotFoundError: GetOffer at ");
});

test("a failure that is caught, or returned by safe(), does not end the process", async () => {
  const { baseUrl } = await serve(respondWith(409));
  const { code, stdout } = await runProject(
    [
      ...programStart,
      'client.getOffer("a").safe();',
      'client.getOffer("a").catch(() => {});',
      'client.getOffer("a").withResponse().catch(() => {});',
      'await Promise.allSettled([client.getOffer("a"), client.getOffer("b")]);',
      "setTimeout(() => console.log('still here'), 50);",
    ],
    { BASE_URL: baseUrl },
  );
  expect([code, stdout.trim()]).toEqual([0, "still here"]);
});

/** The server's behaviour and the call options that cause each error. */
const cases: [className: string, respond: Parameters<typeof serve>[0] | "unused address", options: string][] = [
  ["BadRequestError", respondWith(400), ""],
  ["AuthenticationError", respondWith(401), ""],
  ["PermissionError", respondWith(403), ""],
  ["NotFoundError", respondWith(404), ""],
  ["ConflictError", respondWith(409), ""],
  ["RateLimitError", respondWith(429), ""],
  ["ServerError", respondWith(503), ""],
  ["InvalidResponseError", respondWith(200, "<p>"), ""],
  ["ConnectionError", "unused address", ""],
  ["ConnectionError", (response) => void response.destroy(), ""],
  ["TimeoutError", () => {}, "timeoutMs: 50"],
  ["AbortedError", () => {}, "signal: AbortSignal.timeout(50)"],
  ["UsageError", respondWith(204), "headers: { 'x y': 'z' }"],
];

/** Causes every error in a single process, which catches them all. @returns the lines that each case printed */
async function causeEveryError() {
  const caseSources = await Promise.all(
    cases.map(async ([, respond, options]) => {
      const baseUrl = respond === "unused address" ? await findUnusedUrl() : (await serve(respond)).baseUrl;
      return `[${JSON.stringify(baseUrl)}, () => ({ ${options} })]`;
    }),
  );
  const lines = [
    `import { OffersClient } from "${source}index.ts";`,
    `for (const [caseIndex, [baseUrl, optionsOf]] of [${caseSources}].entries()) {`,
    'const client = new OffersClient({ baseUrl, apiKey: "key", maxRetries: 0 });',
    "const options = optionsOf();",
    "const show = (error) => console.log(caseIndex, error.constructor.name, /hire\\.mjs:(\\d+)/.exec(error.stack)?.[1]);",
    `await client.createOffer(${input}, options).catch(show);`,
    'await client.getOffer("a", options).catch(show);',
    'await client.completeOffer("a", ["w"], options).catch(show);',
    'await client.withdrawOffer("a", options).catch(show);',
    'show((await client.getOffer("a", options).safe()).error);',
    'await client.getOffer("a", options).withResponse().catch(show);',
    'try { for await (const _ of client.watchOffer("a", options)); } catch (error) { show(error); }',
    'await Promise.all([client.getOffer("a", options)]).catch(show);',
    "}",
  ];
  const { stdout, stderr } = await runProject(lines);
  expect(stderr).toBe("");
  const printedLines = stdout.trim().split("\n");
  return cases.map((_, caseIndex) => printedLines.filter((line) => line.startsWith(`${caseIndex} `)));
}
let printedLinesByCase: ReturnType<typeof causeEveryError> | undefined;

test.each(cases.map(([className], caseIndex) => [className, caseIndex] as const))(
  "the stack of a %s shows the line of the call, for every operation and method [D-97]",
  async (className, caseIndex) => {
    printedLinesByCase ??= causeEveryError();
    const printedLines = (await printedLinesByCase)[caseIndex];
    expect(printedLines).toEqual([6, 7, 8, 9, 10, 11, 12, 13].map((line) => `${caseIndex} ${className} ${line}`));
  },
);

test("the stack shows the line of the call even with a slow apiKey function, in a long watch, and with every integration", async () => {
  const offer =
    '{"id":"a","title":"","details":"","isHistoric":false,"widthdrawn":false,"complete":false,"locationPlaceId":"","createdAt":"","events":[],"recipients":[]}';
  const { baseUrl } = await serve((response, request, count) =>
    (request.url?.includes("lasting") && count === 1 ? respondWith(200, offer) : respondWith(404))(
      response,
      request,
      count,
    ),
  );
  const lines = [
    `import { OffersClient } from "${source}index.ts";`,
    `import { createOpenApiClient } from "${source}openapi-fetch.ts"; import { TracedOffersClient } from "${source}opentelemetry.ts"; import { validateResponses } from "${source}schemas.ts";`,
    'const options = { baseUrl: process.env.BASE_URL, apiKey: "key" }; const show = (error) => console.log(/hire\\.mjs:(\\d+)/.exec(error.stack)?.[1]);',
    'try { for await (const _ of new OffersClient(options).watchOffer("lasting", { pollIntervalMs: 1 })); } catch (error) { show(error); }',
    'await new OffersClient({ ...options, apiKey: async () => new Promise((resolve) => setTimeout(resolve, 9, "key")) }).getOffer("a").catch(show);',
    'await new OffersClient({ ...options, fetch: (url, init) => fetch(url, init) }).getOffer("a").catch(show);',
    'await new TracedOffersClient(options).getOffer("a").catch(show);',
    'show((await createOpenApiClient(options).GET("/offer/{id}", { params: { path: { id: "a" } } })).error);',
    'await new OffersClient({ ...options, middleware: [validateResponses(), async () => { throw new Error("x"); }] }).getOffer("a").catch(show);',
    'await new OffersClient({ ...options, middleware: [async () => { throw new Error("mine"); }] }).getOffer("a").catch((error) => show(error.cause));',
  ];
  const { stdout, stderr } = await runProject(lines, { BASE_URL: baseUrl });
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual(["4", "5", "6", "7", "8", "9", "10"]);
});
