import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { Processes } from "../../examples/journey/src/processes.ts";
import { scenarios } from "../../examples/journey/src/scenarios/scenarios.ts";
import { freePort } from "../processes/free-port.ts";
import { type StartedProcess, startProcess } from "../processes/start-process.ts";
import type { SuiteReport } from "./suite.ts";

type Json = Record<string, unknown>;

const specification = resolve(import.meta.dirname, "../../spec/openapi.yaml");

/**
 * Plays the walkthrough with Prism between client and platform, and between platform and integrator. Prism refuses a request or a
 * response that violates spec/openapi.yaml, so that the step fails.
 */
export async function prism(): Promise<SuiteReport> {
  const require = createRequire(import.meta.url);
  const { version, bin } = require("@stoplight/prism-cli/package.json");
  const program = join(require.resolve("@stoplight/prism-cli/package.json"), "..", bin.prism);
  const folder = await mkdtemp(join(tmpdir(), "offers-prism-"));
  const contract: Json = parse(await readFile(specification, "utf8"));
  const documents = {
    platform: contract,
    integrator: webhooksAsPaths(contract),
    planted: withPlantedViolation(contract),
  };
  const proxies: StartedProcess[] = [];
  const found: string[] = [];
  let requests = 0;

  const onLine = (line: string) => {
    if (/Request received/.test(line)) requests++;
    if (/Violation|did not pass the validation/.test(line)) found.push(line.trim());
  };
  const inFrontOf = async (name: keyof typeof documents, address: string) => {
    const file = join(folder, `${name}.json`);
    await writeFile(file, JSON.stringify(documents[name]));
    const port = String(await freePort());
    const command = [program, "proxy", file, address, "--errors", "--host", "127.0.0.1", "--port", port];
    const proxy = startProcess(process.execPath, command, {
      ready: /Prism is listening on (http:\/\/[\w.]+:\d+)/,
      ...(name !== "planted" && { onLine }),
      env: { ...process.env, NO_COLOR: "1" },
    });
    proxies.push(proxy);
    return proxy.ready;
  };

  const processes = new Processes({ dialect: "reference", killBetweenSteps: false, inFrontOf });
  try {
    const context = await processes.start();
    for (const scenario of scenarios) await scenario(context);
    const platform = processes.running.find(({ name }) => name === "platform");
    if (!(await noticesPlantedViolation(await inFrontOf("planted", platform?.address ?? ""))))
      found.push("Prism does not notice a planted violation");
  } catch (error) {
    found.push(`the walkthrough failed: ${(error as Error).message}`);
  } finally {
    await processes.stop();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await rm(folder, { recursive: true });
  }
  if (requests === 0) found.push("no request went through Prism");
  const steps = processes.reporter.closingLine();
  return { suite: `@stoplight/prism-cli ${version}`, tried: `${requests} requests validated; ${steps}`, found };
}

/** Prism reads paths only. The scheme `hmac` is none that it knows; the integrator verifies the signature itself. */
function webhooksAsPaths({ webhooks, ...document }: Json): Json {
  const { components, paths: _paths, security: _security, ...rest } = document;
  const { securitySchemes: _schemes, ...others } = components as Json;
  const unsecured = (operations: Record<string, Json>) =>
    Object.fromEntries(
      Object.entries(operations).map(([method, { security: _, ...operation }]) => [method, operation]),
    );
  const paths = Object.entries(webhooks as Record<string, Record<string, Json>>).map(
    ([path, operations]) => [`/offers${path}`, unsecured(operations)] as const,
  );
  return { ...rest, components: others, paths: Object.fromEntries(paths) };
}

/** A contract whose created offer has a member that the platform does not send. */
function withPlantedViolation(contract: Json): Json {
  const planted = structuredClone(contract) as { components: { schemas: { CreatedOffer: { required: string[] } } } };
  planted.components.schemas.CreatedOffer.required.push("shift");
  return planted;
}

/** Otherwise a walkthrough without violations would prove nothing. */
async function noticesPlantedViolation(address: string): Promise<boolean> {
  const response = await fetch(`${address}/offer`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-ue-api-subscription-key": "demo-key-harbour" },
    body: JSON.stringify({ createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] }),
  });
  return response.status === 500 && /must have required property 'shift'/.test(await response.text());
}
