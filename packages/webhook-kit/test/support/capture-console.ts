import { afterAll, vi } from "vitest";

/** Captures the warnings and errors that the tests of a file print after this call, because `npm test` fails a test that prints. */
export function captureConsole(): void {
  const spies = (["warn", "error"] as const).map((method) => vi.spyOn(console, method).mockReturnValue(undefined));
  afterAll(() => {
    for (const spy of spies) spy.mockRestore();
  });
}
