import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "../../scripts/processes/listen.ts";
import { type Integration, startIntegration } from "./integration.ts";
import { createExamples, freshId, narrowPatterns, readNarrowedContract } from "./specmatic/narrowed-contract.ts";
import type { SuiteReport } from "./suite-report.ts";

/** An expected failure: the platform deliberately differs from what the tester expects. */
interface DeliberateDifference {
  reason: string;
  applies(failure: Failure): boolean;
}

/** A test that failed. */
interface Failure {
  /** The test's name, which describes the change in the request. */
  test: string;
  /** How the response differs from the expected one. */
  message: string;
}

const deliberateDifferences: readonly DeliberateDifference[] = [
  {
    reason: "D-94: an optional field that is null is absent",
    applies: ({ test, message }) =>
      /(?:details|locationPlaceId|notifyEmailAddress|events|until|state) is mutated from .* to null/.test(test) &&
      /received 20\d/.test(message),
  },
  {
    reason: "D-40: the tester generates such short idempotency keys that it soon reuses one for a different request",
    // 422 has no other meaning for these operations.
    applies: ({ test, message }) => /Idempotency-Key/.test(test) && /status 422/.test(message),
  },
  {
    reason: "D-20: a path without its id is a different path, which does not support this method (RFC 9110, 15.5.6)",
    applies: ({ test, message }) =>
      /PATH\.id is set to a value with length lesser/.test(test) && /status 405/.test(message),
  },
  {
    reason:
      "narrowed-contract.ts: the contract allows values that do not match the pattern, which is only for the tester",
    applies: ({ test, message }) =>
      Object.values(narrowPatterns).some((pattern) => test.includes(`matching an invalid regex '${pattern}_$'`)) &&
      /received 201/.test(message),
  },
];

/**
 * Runs Specmatic against the platform. It generates requests from the contract: valid requests, with and without each optional field or
 * header, and requests with a single error. It expects documented statuses, headers and bodies.
 */
export async function runSpecmaticSuite(): Promise<SuiteReport> {
  const manifest = createRequire(import.meta.url).resolve("specmatic/package.json");
  const { version } = JSON.parse(await readFile(manifest, "utf8"));
  assertJavaVersion();
  const folder = await mkdtemp(join(tmpdir(), "offers-contract-"));
  const integration = await startIntegration();
  const proxy = await startProxy(integration);
  try {
    await integration.saveProfile("save", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    await writeInputs(folder, integration, await readCursor(integration));
    const output = await runSpecmatic(join(manifest, "../specmatic.jar"), folder, proxy.address);
    const report = await readFile(join(folder, "report/TEST-junit-jupiter.xml"), "utf8").catch(() => "");
    const { tests, failures } = readReport(report);
    const unexplainedFailures = failures.filter(
      (failure) => !deliberateDifferences.some((difference) => difference.applies(failure)),
    );
    for (const difference of deliberateDifferences) {
      const count = failures.filter((failure) => difference.applies(failure)).length;
      if (count > 0) console.log(`  ${count} differ on purpose: ${difference.reason}`);
    }
    const noTests = tests === 0 ? [`no test ran:\n${output.slice(-3000)}`] : [];
    return {
      suite: `specmatic ${version}`,
      tried: `${tests} generated requests, ${tests - failures.length} of them with the expected response`,
      differences: [
        ...noTests,
        ...proxy.serverErrors,
        ...unexplainedFailures.map(({ test, message }) => `${test}: ${message}`),
      ],
    };
  } finally {
    await proxy.close();
    await integration.stop();
    await rm(folder, { recursive: true });
  }
}

function assertJavaVersion(): void {
  const { stderr } = spawnSync("java", ["-version"], { encoding: "utf8" });
  if (Number(/version "(\d+)/.exec(stderr ?? "")?.[1] ?? 0) < 17)
    throw new Error("Specmatic needs Java 17 or newer. Install it with apt-get install default-jre-headless.");
}

/** Delivers an event, and reads a cursor from the event feed. */
async function readCursor({ platform, apiKey, deliverResponse }: Integration): Promise<string> {
  await deliverResponse();
  const response = await fetch(`${platform}/events`, { headers: { "x-ue-api-subscription-key": apiKey } });
  return ((await response.json()) as { cursor: string }).cursor;
}

/** Writes the contract, the examples and the settings that Specmatic reads. */
async function writeInputs(folder: string, { apiKey }: Integration, cursor: string): Promise<void> {
  await mkdir(join(folder, "examples"));
  await writeFile(join(folder, "contract.json"), JSON.stringify(await readNarrowedContract()));
  for (const [name, example] of Object.entries(createExamples(apiKey, cursor)))
    await writeFile(join(folder, "examples", `${name}.json`), JSON.stringify(example));
  const settings = {
    version: 2,
    contracts: [{ provides: ["contract.json"] }],
    test: { resiliencyTests: { enable: "all" } },
    security: { OpenAPI: { securitySchemes: { subscriptionKey: { type: "apiKey", value: apiKey } } } },
  };
  await writeFile(join(folder, "specmatic.json"), JSON.stringify(settings));
}

/** Runs Specmatic. @returns its output */
const runSpecmatic = (archive: string, folder: string, address: string): Promise<string> =>
  new Promise((resolve) => {
    const command = ["-jar", archive, "test", `--testBaseURL=${address}`];
    const options = ["--examples=examples", "--junitReportDir=report", "--timeout=60"];
    // Specmatic exits with 1 even if all differences are deliberate.
    execFile("java", [...command, ...options], { cwd: folder, maxBuffer: 2 ** 28 }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });

/**
 * Starts a proxy in front of the platform, which records the platform's 5xx responses. It creates a new offer or delivery for each test,
 * because Specmatic itself cannot.
 */
async function startProxy({ platform, createOffer, deliverResponse }: Integration) {
  const serverErrors: string[] = [];
  const proxy = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "" } = request;
    let path = url;
    if (url.startsWith(`/offer/${freshId}`)) path = url.replace(freshId, await createOffer(/\/complete\b/.test(url)));
    if (url.startsWith(`/events/${freshId}/`)) path = url.replace(freshId, await deliverResponse());
    // Leave out the headers that belong to the connection from Specmatic. fetch sets its own.
    const {
      host: _host,
      connection: _connection,
      "content-length": _length,
      "transfer-encoding": _encoding,
      ...headers
    } = request.headers;
    const body = Buffer.concat(chunks);
    const result = await fetch(platform + path, {
      method,
      headers: headers as Record<string, string>,
      redirect: "manual",
      ...(body.length > 0 && { body }),
    });
    if (result.status >= 500) serverErrors.push(`${method} ${path} returned ${result.status}`);
    response.writeHead(result.status, Object.fromEntries(result.headers));
    response.end(Buffer.from(await result.arrayBuffer()));
  });
  return { ...proxy, serverErrors };
}

/** Reads the test cases and failures in a JUnit report. */
function readReport(report: string): { tests: number; failures: readonly Failure[] } {
  const cases = [...report.matchAll(/<testcase [^>]*?\bname="([^"]*)"[^>]*>(?:\s*<failure message="([^"]*)")?/g)];
  const failures = cases.flatMap(([, name = "", message]) =>
    message === undefined
      ? []
      : [{ test: decodeXml(name).replace(/.*contractTest\(\) > /, ""), message: removeHeadings(decodeXml(message)) }],
  );
  return { tests: cases.length, failures };
}

/** Removes Specmatic's links and headings from a failure message. */
const removeHeadings = (message: string): string =>
  message
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:Testing scenario|API:|R\d{4}:|Documentation:|Summary:)/.test(line))
    .join(" ");

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", "#10": "\n" };

const decodeXml = (xml: string): string => xml.replace(/&(#?\w+);/g, (reference, name) => entities[name] ?? reference);
