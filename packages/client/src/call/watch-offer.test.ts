import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readSettings } from "../options/settings.ts";
import { watchOffer } from "./watch-offer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const defaults = readSettings({ baseUrl: "https://service.example", apiKey: "key" }).call;

test.each([
  [undefined, 0, 8_000],
  [undefined, 0.5, 10_000],
  [1_000, 0.75, 1_100],
  [2_147_483_647, 1, 2_147_483_647],
])(
  "with an interval of %s and the random value %d, the next read comes after %i ms",
  async (pollIntervalMs, random, waitMs) => {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const open = { recipients: [], complete: false, widthdrawn: false };
    const read = vi.fn<Parameters<typeof watchOffer>[0]>();
    read.mockResolvedValueOnce(open as never).mockResolvedValueOnce({ ...open, complete: true } as never);
    const firstResult = watchOffer(read, defaults, { pollIntervalMs }).next();
    await vi.advanceTimersByTimeAsync(waitMs - 1);
    expect(read).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await firstResult).toEqual({ done: true, value: undefined });
    expect(read).toHaveBeenCalledTimes(2);
  },
);
