import { expect, test } from "vitest";
import { LapseWatch } from "./lapse-watch.ts";

const claim = { id: "job-1", renewed: "10:00:00" };

/** A look each second, at claims renewed at these times. @returns the second at which one was found lapsed */
function lapsedAt(renewals: readonly string[], watch = new LapseWatch(4_000, 2_000)): number | undefined {
  const looks = renewals.map((renewed, second) => watch.look([{ id: "job-1", renewed }], second * 1_000).length);
  const first = looks.indexOf(1);
  return first === -1 ? undefined : first;
}

test("a claim that was not renewed for a whole lease has lapsed", () =>
  expect(lapsedAt(["a", "a", "a", "a", "a", "a"])).toBe(4));

test("a claim that is renewed in time has not, however long it lasts", () =>
  expect(lapsedAt(["a", "a", "a", "a", "b", "b", "b", "b", "c", "c", "c", "c"])).toBeUndefined());

test("it counts from the last renewal", () => expect(lapsedAt(["a", "b", "c", "c", "c", "c", "c"])).toBe(6));

test("how long ago a claim was renewed by the store's clock is nothing to it", () =>
  expect(new LapseWatch(4_000, 2_000).look([{ id: "job-1", renewed: "1999-12-31" }], 0)).toEqual([]));

test("after a pause, in which nobody could renew, it begins anew", () => {
  const watch = new LapseWatch(4_000, 2_000);
  for (const second of [0, 1, 2, 3]) expect(watch.look([claim], second * 1_000)).toEqual([]);
  for (const second of [6, 7, 8, 9]) expect(watch.look([claim], second * 1_000)).toEqual([]);
  expect(watch.look([claim], 10_000)).toEqual([claim]);
});

test("a job that was settled and is claimed again is another claim", () => {
  const watch = new LapseWatch(4_000, 2_000);
  for (const second of [0, 1, 2]) watch.look([claim], second * 1_000);
  watch.look([], 3_000);
  expect(watch.look([claim], 4_000)).toEqual([]);
});
