import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { testReceiver } from "@offers/webhook-kit/testing";
import type { FreshProject } from "../packed/fresh-project.ts";
import { startProcess } from "../processes/start-process.ts";

const route = join(import.meta.dirname, "../../packages/webhook-kit/test/recipes/next-route.ts");
const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";

/** Next passes the first of two such headers only: no route handler sees the second. */
const unseen = ["with Authorization twice", "with a false Authorization after the true one"].map(
  (what) => `A request ${what} must be rejected, but 200 came from GET /test/auth.`,
);

/** The guide's route handler, built and served by Next. */
export async function next(project: FreshProject): Promise<void> {
  await project.install("next", "react", "react-dom");
  await mkdir(join(project.folder, "app/offers/[...webhook]"), { recursive: true });
  // The recipe is JavaScript as well; for a .ts file Next would ask for TypeScript and React's types.
  await project.write("app/offers/[...webhook]/route.js", await readFile(route, "utf8"));

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
    assert.deepEqual(await receiver.checkContract({ workerOfferResponse }), unseen);
    await receiver.close();
  } finally {
    await server.stop();
  }
  assert.deepEqual(
    server.lines.filter((line) => line.startsWith("offer_1")),
    ["offer_1 worker_amal accepted"],
  );
}
