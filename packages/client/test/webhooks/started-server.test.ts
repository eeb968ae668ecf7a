import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const program = `
  import { createServer } from "node:http";
  import { createTestService } from "${new URL("../../src/testing.ts", import.meta.url)}";
  const service = createTestService();
  const server = createServer((request, response) => response.end());
  await service.deliverTo(server, { secret: "any", sign: () => ({}) });
  service.addContact("worker_amal");
  await service.deliver();
  console.log(service.deliveries[0].state, server.listening);
`;

test("a server that deliverTo started does not keep the process alive", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--no-warnings", "--input-type=module", "-e", program],
    {
      encoding: "utf8",
    },
  );
  expect([stdout, stderr, status]).toEqual(["acknowledged true\n", "", 0]);
});
