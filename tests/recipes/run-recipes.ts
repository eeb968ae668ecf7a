// Tests recipes that need more dependencies than the workspace installs, in fresh projects with the packed packages:
//   npm run check -- compatibility recipes [next jest lambda queues]
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { testReceiver } from "@offers/webhook-kit/testing";
import { findFreePort } from "../../scripts/processes/free-port.ts";
import { startProcess } from "../../scripts/processes/start-process.ts";
import { createFreshProject, type FreshProject } from "../../scripts/release/packages/fresh-project.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";

/** Runs the testReceiver recipe under Jest. */
async function runJest(project: FreshProject): Promise<void> {
  await project.install("jest@30.5.2");
  await copyFile(join(import.meta.dirname, "receiver.test.js"), join(project.folder, "receiver.test.js"));
  const cli = join(project.folder, "node_modules/jest/bin/jest.js");
  await promisify(execFile)(process.execPath, [cli, "--detectOpenHandles", "--ci", "--testTimeout=60000"], {
    cwd: project.folder,
  });
}

const nextRecipe = join(import.meta.dirname, "../../packages/webhook-kit/test/recipes/next-route.ts");

/** The expected findings. Next passes only the first of two Authorization headers to a route handler. */
const expectedNextFindings = ["with Authorization twice", "with a forged Authorization after the genuine one"].map(
  (description) => `A request ${description} must be rejected, but 200 was returned by GET /test/auth.`,
);

const pages = join(import.meta.dirname, "../../docs/guides/frameworks");
const offers = join(import.meta.dirname, "../../packages/cli/dist/offers.js");

/** Runs the `offers probe` command from a framework's page against this URL. The command exits with 1 if there is a finding. */
async function runDocumentedProbe(framework: string, address: string): Promise<void> {
  const page = await readFile(join(pages, `${framework}.md`), "utf8");
  const flags = /^offers probe \S+ (.*)$/m.exec(page)?.[1];
  assert.ok(flags, `the page for ${framework} shows the flags for its probe`);
  const args = [offers, "probe", `${address}/offers`, ...flags.split(" ")];
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, WEBHOOK_SECRET: secret } });
}

/** Builds and serves the guide's route handler with Next, and checks it. */
async function runNext(project: FreshProject): Promise<void> {
  await project.install("next", "react", "react-dom");
  await mkdir(join(project.folder, "app/offers/[...webhook]"), { recursive: true });
  // The recipe is also valid JavaScript. For a .ts file, Next would ask for TypeScript and React's types.
  await project.write("app/offers/[...webhook]/route.js", await readFile(nextRecipe, "utf8"));

  const cli = [join(project.folder, "node_modules/next/dist/bin/next")];
  const env = { PATH: process.env.PATH, HOME: project.folder, NEXT_TELEMETRY_DISABLED: "1" };
  await promisify(execFile)(process.execPath, [...cli, "build"], { cwd: project.folder, env });

  const server = startProcess(process.execPath, [...cli, "start", "-p", "0", "-H", "127.0.0.1"], {
    cwd: project.folder,
    env: { ...env, WEBHOOK_SECRET: secret },
    ready: /Local:\s+(http:\S+)/,
  });
  try {
    const address = await server.ready;
    const receiver = await testReceiver(address, { secret, basePath: "/offers" });
    const workerOfferResponse = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
    assert.deepEqual(await receiver.checkContract({ workerOfferResponse }), expectedNextFindings);
    await receiver.close();
    assert.deepEqual(
      server.lines.filter((line) => line.startsWith("offer_1")),
      ["offer_1 worker_amal accepted"],
    );
    await runDocumentedProbe("next", address.replace(/\/$/, ""));
  } finally {
    await server.stop();
  }
}

const lambdaRecipe = join(import.meta.dirname, "../../packages/webhook-kit/test/recipes/lambda.ts");

/** The expected findings. In payload 2.0, AWS joins headers of the same name with commas, but serverless-offline passes only the last. */
const expectedHttpApiFindings = ["Timestamp", "Authorization"].flatMap((header) =>
  [`with ${header} twice`, `with a forged ${header} before the genuine one`].map(
    (description) => `A request ${description} must be rejected, but 200 was returned by GET /test/auth.`,
  ),
);

/** The gateways that serverless-offline emulates: an HTTP API (payload 2.0) and a REST API (1.0). */
const gateways = [
  { name: "HTTP API", event: { httpApi: "*" }, findings: expectedHttpApiFindings },
  { name: "REST API", event: { http: { method: "any", path: "{proxy+}" } }, findings: [] },
];

/** Checks the guide's function behind each gateway that serverless-offline emulates. */
async function runLambda(project: FreshProject): Promise<void> {
  await project.install("serverless@3.40.0", "serverless-offline@13.9.0");
  await project.write("webhook.mjs", await readFile(lambdaRecipe, "utf8"));
  for (const { name, event, findings } of gateways) {
    const service = {
      service: "offers",
      frameworkVersion: "3",
      provider: { name: "aws", runtime: "nodejs20.x", environment: { WEBHOOK_SECRET: secret } },
      functions: { webhook: { handler: "webhook.handler", events: [event] } },
      plugins: ["serverless-offline"],
    };
    await project.write("serverless.json", JSON.stringify(service));
    await checkGateway(project, name, findings);
  }
}

/** Starts serverless-offline with this gateway, and checks the function behind it. */
async function checkGateway(project: FreshProject, gateway: string, findings: readonly string[]): Promise<void> {
  const cli = join(project.folder, "node_modules/serverless/bin/serverless.js");
  const ports = ["--httpPort", `${await findFreePort()}`, "--lambdaPort", `${await findFreePort()}`];
  const server = startProcess(
    process.execPath,
    [cli, "offline", "start", "--host", "127.0.0.1", "--noPrependStageInUrl", "--noTimeout", ...ports],
    {
      cwd: project.folder,
      env: { PATH: process.env.PATH, HOME: project.folder, SLS_TELEMETRY_DISABLED: "1" },
      ready: /Server ready: (http:\S+)/,
    },
  );
  try {
    const receiver = await testReceiver(await server.ready, { secret, basePath: "/offers" });
    const workerOfferResponse = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
    assert.deepEqual(await receiver.checkContract({ workerOfferResponse }), findings, gateway);
    await receiver.close();
  } finally {
    await server.stop();
  }
  assert.equal(server.lines.filter((line) => line.includes("offer_1 worker_amal accepted")).length, 1, gateway);
}

const guide = join(import.meta.dirname, "../../docs/guides/workers.md");
const programs = join(import.meta.dirname, "queues");

/** Runs the guide's BullMQ sample with Redis, and checks that every event is handled even though handlers fail. */
async function runQueues(project: FreshProject): Promise<void> {
  await project.install("bullmq@6.7.0", "ioredis@5");
  const samples = [...(await readFile(guide, "utf8")).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  const [sample = "", ...otherSamples] = samples.filter((code) => code.includes("removeOnComplete"));
  assert.equal(otherSamples.length, 0, "only one sample uses removeOnComplete");
  await project.write("bullmq-sample.mjs", stripTypeScriptTypes(sample));
  for (const file of ["events.mjs", "bullmq.mjs"]) await copyFile(join(programs, file), join(project.folder, file));
  const redis = process.env.REDIS_URL || "redis://127.0.0.1:6379/7";
  const { stdout } = await promisify(execFile)(process.execPath, ["bullmq.mjs"], {
    cwd: project.folder,
    env: { PATH: process.env.PATH, REDIS_URL: redis, QUEUE: `offers-${randomUUID()}` },
  });
  // Each event with a key was sent twice.
  assert.match(stdout, /^deduplicated 5$/m);
}

const requestedNames = process.argv.slice(2);
for (const [name, recipe] of Object.entries({ next: runNext, jest: runJest, lambda: runLambda, queues: runQueues })) {
  if (requestedNames.length > 0 && !requestedNames.includes(name)) continue;
  const project = await createFreshProject();
  try {
    await recipe(project);
    console.log(`${name}: passed`);
  } finally {
    await project.remove();
  }
}
