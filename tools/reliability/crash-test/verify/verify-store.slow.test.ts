import { describe, expect, test } from "vitest";
import type { LeaseRecord } from "./lease-history.ts";
import { mostAtOnce, takeoversOf } from "./verify-store.ts";

const lease = (rowId: number, holder: string, from: number, to: number, endedBy = holder): LeaseRecord => {
  return { queue: "webhooks", lane: "org_1", rowId, holder, endedBy, leasedAt: from, endedAt: to };
};
const msOf = (...args: Parameters<typeof takeoversOf>): number[] => takeoversOf(...args).map(({ ms }) => ms);
const killed = { process: "A", at: 1_000 };

describe("the most deliveries of one endpoint under a lease at once", () => {
  test("are those whose leases overlap, and one may begin when another ends", () => {
    const leases = [lease(1, "A", 0, 10), lease(2, "B", 5, 20), lease(3, "A", 10, 20)];
    expect(mostAtOnce(leases, "webhooks")).toBe(2);
  });

  test("are counted for each endpoint and queue by itself", () => {
    const leases = [lease(1, "A", 0, 10), { ...lease(2, "A", 0, 10), lane: "org_2" }];
    expect(mostAtOnce([...leases, { ...lease(3, "A", 0, 10), queue: "pushes" }], "webhooks")).toBe(1);
    expect(mostAtOnce(leases, "pushes")).toBe(0);
  });
});

describe("how long others took to take over", () => {
  test("is the time until the last row of a process that was killed was leased again", () => {
    const leases = [
      lease(1, "A", 900, 5_000, "B"),
      lease(2, "A", 950, 5_000, "B"),
      lease(3, "A", 800, 990),
      lease(1, "B", 5_100, 5_200),
      lease(2, "B", 5_300, 5_400),
    ];
    const [takeover] = takeoversOf(leases, [killed], []);
    expect(takeover?.ms).toBe(4_300);
    expect(takeover?.last).toBe("webhooks 2 of org_1 of a process killed was free after 4000 ms");
  });

  test("does not count what the process settled yet, nor a process that had nothing", () => {
    expect(msOf([lease(1, "A", 900, 1_020)], [killed], [])).toEqual([]);
    expect(msOf([lease(1, "B", 900, 9_000)], [killed], [])).toEqual([]);
  });

  test("is never, of a row that is still leased to a process that was killed", () => {
    expect(msOf([lease(1, "A", 900, Number.POSITIVE_INFINITY)], [killed], [])).toEqual([Number.POSITIVE_INFINITY]);
  });

  test("lasts until a stopped process continues, when no other was faster", () => {
    const stopped = { ...killed, stalledMs: 6_000 };
    expect(msOf([lease(1, "A", 900, 7_100)], [stopped], [])).toEqual([6_100]);
    expect(msOf([lease(1, "A", 900, 1_100)], [stopped], [])).toEqual([]);
  });

  test("ends when the row is free while its endpoint has as many as it may have", () => {
    const others = Array.from({ length: 8 }, (_, index) => lease(10 + index, "B", 4_000, 8_000));
    const leases = [lease(1, "A", 900, 5_000, "B"), ...others, lease(1, "B", 8_000, 8_100)];
    expect(msOf(leases, [killed], [])).toEqual([4_000]);
    // Freed together with another row, when there was capacity for one.
    const [first, ...rest] = others;
    const together = [lease(1, "A", 900, 5_000, "B"), { ...first, leasedAt: 5_010 } as LeaseRecord, ...rest];
    expect(msOf([...together, lease(1, "B", 8_000, 8_100)], [killed], [])).toEqual([4_000]);
  });

  test("is not measured when no process was at work, or no database, when the lease could have ended", () => {
    const leases = [lease(1, "A", 900, 5_000, "B"), lease(1, "B", 5_100, 5_200)];
    expect(msOf(leases, [killed], [{ from: 2_000, to: 4_500 }])).toEqual([]);
    expect(msOf(leases, [killed], [{ from: 1_000, to: 3_500 }])).toEqual([4_100]);
    expect(msOf(leases, [killed], [{ from: 5_200, to: 6_000 }])).toEqual([4_100]);
  });

  test("is not measured while another process that stands still may have kept the others waiting", () => {
    const leases = [lease(1, "A", 900, 5_000, "B"), lease(1, "B", 5_900, 6_000)];
    const stopped = (at: number) => ({ process: "C", at, stalledMs: 6_000 });
    expect(msOf(leases, [killed, stopped(4_500)], [])).toEqual([]);
    expect(msOf(leases, [killed, stopped(1_500)], [])).toEqual([4_900]);
  });

  test("is given in order, the shortest first", () => {
    const leases = [
      lease(1, "A", 900, 5_000, "B"),
      lease(1, "B", 5_100, 5_200),
      lease(2, "C", 900, 3_000, "B"),
      lease(2, "B", 3_100, 3_200),
    ];
    expect(msOf(leases, [killed, { ...killed, process: "C" }], [])).toEqual([2_100, 4_100]);
  });
});
