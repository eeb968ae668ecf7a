import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { testReceiver } from "@offers/webhook-kit/testing";
import type { FreshProject } from "../packed/fresh-project.ts";
import { freePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";

const recipe = join(import.meta.dirname, "../../packages/webhook-kit/test/recipes/lambda.ts");
const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";

/** AWS joins headers of one name with commas in payload 2.0; serverless-offline passes the last one only. */
const unseen = ["Timestamp", "Authorization"].flatMap((header) =>
  [`with ${header} twice`, `with a false ${header} before the true one`].map(
    (what) => `A request ${what} must be rejected, but 200 came from GET /test/auth.`,
  ),
);

/** The gateways that serverless-offline plays: an HTTP API (payload 2.0), a REST API (1.0). */
const gateways = [
  { name: "HTTP API", event: { httpApi: "*" }, findings: unseen },
  { name: "REST API", event: { http: { method: "any", path: "{proxy+}" } }, findings: [] },
];

/** The guide's function behind the emulated gateways of serverless-offline. */
export async function lambda(project: FreshProject): Promise<void> {
  await project.install("serverless@3.40.0", "serverless-offline@13.9.0");
  await project.write("webhook.mjs", await readFile(recipe, "utf8"));
  for (const { name, event, findings } of gateways) {
    const service = {
      service: "offers",
      frameworkVersion: "3",
      provider: { name: "aws", runtime: "nodejs20.x", environment: { WEBHOOK_SECRET: secret } },
      functions: { webhook: { handler: "webhook.handler", events: [event] } },
      plugins: ["serverless-offline"],
    };
    await project.write("serverless.json", JSON.stringify(service));
    await check(project, name, findings);
  }
}

async function check(project: FreshProject, gateway: string, findings: readonly string[]): Promise<void> {
  const cli = join(project.folder, "node_modules/serverless/bin/serverless.js");
  const ports = ["--httpPort", `${await freePort()}`, "--lambdaPort", `${await freePort()}`];
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
