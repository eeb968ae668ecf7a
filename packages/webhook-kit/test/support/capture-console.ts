import { afterAll, vi } from "vitest";

/** From this call on, captures the warnings and errors that a file's tests print. `npm test` fails a test that prints. */
export function captureConsole(): void {
  const spies = (["warn", "error"] as const).map((method) => vi.spyOn(console, method).mockReturnValue(undefined));
  afterAll(() => {
    for (const spy of spies) spy.mockRestore();
  });
}
