import { afterAll, vi } from "vitest";
import { captureConsole } from "./capture-console.ts";

/**
 * Sets the environment variables that a recipe reads when it is imported, and captures its output, until the tests of the file end.
 *
 * @returns the spy on `console.log`
 */
export function prepareRecipe(environment: Record<string, string>) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const log = vi.spyOn(console, "log").mockReturnValue();
  captureConsole();
  afterAll(() => {
    log.mockRestore();
    vi.unstubAllEnvs();
  });
  return log;
}
