import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { testReceiver } from "@offers/webhook-kit/testing";
import type { FreshProject } from "../packed/fresh-project.ts";
import { freePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";

const recipe = join(import.meta.dirname, "../../packages/webhook-kit/test/recipes/lambda.ts");
const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";

/** The gateways that serverless-offline plays: an HTTP API (payload 2.0), a REST API (1.0). */
const gateways = {
  "HTTP API": { httpApi: "*" },
  "REST API": { http: { method: "any", path: "{proxy+}" } },
};

/** The guide's function behind the emulated gateways of serverless-offline. */
export async function lambda(project: FreshProject): Promise<void> {
  await project.install("serverless@3.40.0", "serverless-offline@13.9.0");
  await project.write("webhook.mjs", await readFile(recipe, "utf8"));
  for (const [name, event] of Object.entries(gateways)) {
    const service = {
      service: "offers",
      frameworkVersion: "3",
      provider: { name: "aws", runtime: "nodejs20.x" },
      functions: { webhook: { handler: "webhook.handler", events: [event] } },
      plugins: ["serverless-offline"],
    };
    await project.write("serverless.json", JSON.stringify(service));
    await check(project, name);
  }
}

async function check(project: FreshProject, gateway: string): Promise<void> {
  const cli = join(project.folder, "node_modules/serverless/bin/serverless.js");
  const ports = ["--httpPort", `${await freePort()}`, "--lambdaPort", `${await freePort()}`];
  const server = startProcess(
    process.execPath,
    [cli, "offline", "start", "--host", "127.0.0.1", "--noPrependStageInUrl", "--noTimeout", ...ports],
    {
      cwd: project.folder,
      env: { PATH: process.env.PATH, HOME: project.folder, SLS_TELEMETRY_DISABLED: "1", WEBHOOK_SECRET: secret },
      ready: /Server ready: (http:\S+)/,
    },
  );
  try {
    const receiver = await testReceiver(await server.ready, { secret, basePath: "/offers" });
    const workerOfferResponse = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
    assert.deepEqual(await receiver.checkContract({ workerOfferResponse }), [], gateway);
    await receiver.close();
  } finally {
    await server.stop();
  }
  assert.equal(server.lines.filter((line) => line.includes("offer_1 worker_amal accepted")).length, 1, gateway);
}
