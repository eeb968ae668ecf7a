// The rehearsal notices what may go wrong in a release.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sabotages } from "./sabotage.ts";

test.each(Object.entries(sabotages))(
  "--sabotage %s makes this step red: %s",
  { timeout: 900_000 },
  async (name, step) => {
    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
      execFile(
        process.execPath,
        [join(import.meta.dirname, "rehearse.ts"), "--sabotage", name],
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });
    expect(output).toContain(`✗ ${step}`);
    expect(code, output).toBe(1);
  },
);
