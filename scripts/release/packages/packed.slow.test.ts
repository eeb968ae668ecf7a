// Tests the packages as npm delivers them: packed, installed in a new project outside the workspace, and used there as the README shows,
// from an ES module and from CommonJS.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installOldestNode } from "../../processes/run-command.ts";
import { runReadmePrograms } from "../installed/run-readme-programs.ts";
import { createFreshProject, type FreshProject } from "./fresh-project.ts";
import { packageNames } from "./packages.ts";
import { moduleSystems } from "./readme-program.ts";

const run = promisify(execFile);

const nodeNames = ["this Node", "Node 20.19"] as const;

/** The versions of Node to test, each with both module systems. `npm run check -- compatibility runtimes` tests the other versions. */
const nodesAndModuleSystems = (process.env.TEST_MATRIX === "full" ? nodeNames : nodeNames.slice(0, 1)).flatMap((node) =>
  moduleSystems.map(([file, compile]) => [node, file, compile] as const),
);

let project: FreshProject;
let nodes: Record<"this Node" | "Node 20.19", string>;

beforeAll(async () => {
  project = await createFreshProject();
  // The optional peer of `/schemas`.
  await project.install("zod");
  nodes = { "this Node": process.execPath, "Node 20.19": "" };
  if (process.env.TEST_MATRIX !== "full") return;
  nodes["Node 20.19"] = await installOldestNode();
}, 120_000);

afterAll(() => project.remove());

describe.each(packageNames)("the tarball of %s", (name) => {
  test("contains the licence, a README and the sources that its source maps refer to, but no tests", async () => {
    const { stdout } = await run("tar", ["-tzf", project.tarball(name)]);
    const files = stdout.trim().split("\n");
    expect(files).toEqual(expect.arrayContaining(["package/LICENSE", "package/README.md", "package/package.json"]));
    expect(files.filter((file) => /\/test\/|\.test\./.test(file))).toEqual([]);
    const installed = join(project.folder, "node_modules/@offers", name);
    const maps = files.map((file) => file.replace("package/", "")).filter((file) => file.endsWith(".map"));
    expect(maps.length).toBeGreaterThan(20);
    for (const map of maps) {
      const { sources } = JSON.parse(await readFile(join(installed, map), "utf8")) as { sources: string[] };
      for (const source of sources) expect(files).toContain(join("package", dirname(map), source));
    }
  });
});

test("the packages depend only on versions that npm understands outside the workspace", async () => {
  for (const name of packageNames) {
    const manifest = await readFile(join(project.folder, "node_modules/@offers", name, "package.json"), "utf8");
    expect(manifest).not.toMatch(/catalog:|workspace:/);
  }
});

test.each(nodesAndModuleSystems)(
  "%s, %s: the programs in README.md call the reference platform, and accept only requests that openssl signed",
  (node, ...system) => runReadmePrograms(project.folder, system, nodes[node]),
);

test.each(nodesAndModuleSystems)(
  "%s, %s: errors from a subpath are instances of the classes from the main entry point",
  async (node, file, compile) => {
    const code = `
    import { InvalidResponseError, OffersClient } from "@offers/client";
    import { validateResponses } from "@offers/client/schemas";
    const options = { baseUrl: "https://service.example", apiKey: "key", middleware: [validateResponses()] };
    const offers = new OffersClient({ ...options, fetch: async () => Response.json({ id: "offer_1", title: 1 }) });
    const { error } = await offers.getOffer("offer_1").safe();
    console.log(error.message.includes("title"), error instanceof InvalidResponseError);`;
    const { stdout } = await run(nodes[node], [await project.write(file, compile(code))]);
    expect(stdout).toBe("true true\n");
  },
);

test.each(nodesAndModuleSystems)(
  "%s, %s: with --enable-source-maps, stack traces refer to the sources",
  async (node, file, compile) => {
    const code = `
    import { OffersClient } from "@offers/client";
    import { verifyRequest } from "@offers/webhook-kit";
    import { verifyWebhook } from "@offers/webhook-kit/express";
    const captureStack = async (fail) => {
      try {
        await fail();
      } catch (error) {
        return error.stack;
      }
    };
    console.log(JSON.stringify(await Promise.all([
      captureStack(() => new OffersClient({ baseUrl: "nowhere", apiKey: "key" })),
      captureStack(() => verifyRequest({ secret: "" }, {})),
      captureStack(() => verifyWebhook({ secret: "" })),
    ])));`;
    const script = await project.write(file, compile(code));
    const { stdout } = await run(nodes[node], ["--enable-source-maps", script]);
    const stacks = JSON.parse(stdout) as string[];
    for (const [index, caller] of ["new OffersClient", "verifyRequest", "verifyWebhook"].entries()) {
      const frames = (stacks[index] ?? "").split("\n").filter((line) => line.includes("node_modules/@offers/"));
      expect(frames.join("\n")).toContain(caller);
      for (const frame of frames) {
        const [, source = "", line] = /\(?(?:file:\/\/)?(\/[^:]+\/src\/[\w/-]+\.ts):(\d+):\d+\)?$/.exec(frame) ?? [];
        expect(source, frame).not.toBe("");
        expect((await readFile(source, "utf8")).split("\n")[Number(line) - 1], frame).toMatch(/\w\(/);
      }
    }
  },
);
