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
  "with an interval of %s and the random value %d, the next read happens after %i ms",
  async (pollIntervalMs, random, waitMs) => {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const openOffer = { recipients: [], complete: false, widthdrawn: false };
    const readOffer = vi.fn<Parameters<typeof watchOffer>[0]>();
    readOffer.mockResolvedValueOnce(openOffer as never);
    readOffer.mockResolvedValueOnce({ ...openOffer, complete: true } as never);
    const firstResult = watchOffer(readOffer, defaults, { pollIntervalMs }).next();
    await vi.advanceTimersByTimeAsync(waitMs - 1);
    expect(readOffer).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await firstResult).toEqual({ done: true, value: undefined });
    expect(readOffer).toHaveBeenCalledTimes(2);
  },
);
