import { describe, expect, test } from "vitest";
import { type Change, type Receipt, verifyHistory } from "./history.ts";

const key = "offer 1, worker 1";
const ackedChanges = (...values: string[]): Change[] =>
  values.map((value) => ({ key, value, isAcked: true, uncertainSends: 0 }));
/** Creates receipts from labels: `A1` is the response A with the delivery id 1. */
const createReceipts = (...labels: string[]): Receipt[] =>
  labels.map(([value = "", deliveryId = ""], ordinal) => ({ ordinal, deliveryId, key, value, isAcknowledged: true }));

const noFaults = { lost: 0, duplicated: 0, reordered: 0, invented: 0, examples: [] };

describe("verifyHistory", () => {
  test("reports no fault when each change is received once and in order", () => {
    expect(verifyHistory(ackedChanges("A", "R", "A"), createReceipts("A1", "R2", "A3"))).toEqual({
      acked: 3,
      delivered: 3,
      ...noFaults,
    });
  });

  test("reports an acked change as lost if the receiver never got it", () => {
    const verdict = verifyHistory(ackedChanges("A", "R", "A"), createReceipts("A1", "A3"));
    expect(verdict).toMatchObject({ acked: 3, delivered: 2, lost: 1, reordered: 0, invented: 0 });
    expect(verdict.examples).toEqual([
      expect.stringContaining("offer 1, worker 1: acked A R A; received A (1, request 0)"),
    ]);
    expect(verifyHistory(ackedChanges("A"), [])).toMatchObject({ acked: 1, delivered: 0, lost: 1 });
  });

  test("reports a response as reordered if it is received before an earlier response", () => {
    expect(verifyHistory(ackedChanges("A", "R"), createReceipts("R2", "A1"))).toMatchObject({
      delivered: 2,
      lost: 0,
      reordered: 1,
    });
    expect(verifyHistory(ackedChanges("A", "R", "A", "R"), createReceipts("A1", "A3", "R2", "R4"))).toMatchObject({
      lost: 0,
      reordered: 1,
    });
  });

  test("compares the order of the requests, not of their responses", () => {
    const [first, second] = createReceipts("A1", "R2");
    expect(verifyHistory(ackedChanges("A", "R"), [second, first] as Receipt[])).toMatchObject({ reordered: 0 });
  });

  test("reports a response as reordered if it is received again after a later response", () => {
    expect(verifyHistory(ackedChanges("A", "R"), createReceipts("A1", "R2", "A1"))).toMatchObject({
      duplicated: 1,
      reordered: 1,
    });
    expect(verifyHistory(ackedChanges("A", "R"), createReceipts("A1", "A1", "R2", "R2"))).toMatchObject({
      duplicated: 2,
      reordered: 0,
    });
  });

  test("does not check the order of equal responses", () => {
    expect(verifyHistory(ackedChanges("C", "C", "C"), createReceipts("C2", "C1", "C3", "C1"))).toMatchObject({
      duplicated: 1,
      reordered: 0,
    });
  });

  test("does not report the neighbours of a lost response as reordered", () => {
    expect(verifyHistory(ackedChanges("A", "R", "A", "R"), createReceipts("A1", "A3", "R4"))).toMatchObject({
      lost: 1,
      reordered: 0,
    });
  });

  test("reports a delivery as duplicated if it is sent again after a 200, but not if it got no response", () => {
    const repeated = createReceipts("A1", "A1", "A1");
    expect(verifyHistory(ackedChanges("A"), repeated)).toMatchObject({ delivered: 1, duplicated: 2, invented: 0 });
    const hungUp = repeated.map((receipt, index) => ({ ...receipt, isAcknowledged: index === 2 }));
    expect(verifyHistory(ackedChanges("A"), hungUp)).toMatchObject({ delivered: 1, duplicated: 0 });
  });

  test("reports a second delivery id for one event, and an event without a change, as invented", () => {
    expect(verifyHistory(ackedChanges("A"), createReceipts("A1", "A2"))).toMatchObject({
      delivered: 1,
      duplicated: 0,
      invented: 1,
    });
    expect(verifyHistory([], createReceipts("A1"))).toMatchObject({ acked: 0, delivered: 0, invented: 1 });
    expect(verifyHistory(ackedChanges("A"), createReceipts("R1"))).toMatchObject({ lost: 1, invented: 1 });
  });

  test("reports a change without a response as neither lost nor invented, because it may have happened", () => {
    const uncertain: Change = { key, value: "R", isAcked: false, uncertainSends: 1 };
    const changes = [...ackedChanges("A"), uncertain];
    expect(verifyHistory(changes, createReceipts("A1"))).toEqual({ acked: 1, delivered: 1, ...noFaults });
    expect(verifyHistory(changes, createReceipts("A1", "R2"))).toEqual({ acked: 1, delivered: 1, ...noFaults });
    expect(verifyHistory(changes, createReceipts("A1", "R2", "R3"))).toMatchObject({ invented: 1 });
    expect(verifyHistory([uncertain, ...ackedChanges("A")], createReceipts("R2", "A1"))).toEqual({
      acked: 1,
      delivered: 1,
      ...noFaults,
    });
  });

  test("expects one event for a change that is retried until it is acked", () => {
    const changes = [...ackedChanges("A"), { key, value: "R", isAcked: true, uncertainSends: 2 }];
    expect(verifyHistory(changes, createReceipts("A1", "R2"))).toEqual({ acked: 2, delivered: 2, ...noFaults });
    expect(verifyHistory(changes, createReceipts("A1"))).toMatchObject({ lost: 1 });
  });

  test("checks each key separately", () => {
    const otherKey = "offer 2, worker 1";
    const changes = [...ackedChanges("A"), ...ackedChanges("A").map((change) => ({ ...change, key: otherKey }))];
    expect(verifyHistory(changes, createReceipts("A1", "A2"))).toMatchObject({
      acked: 2,
      delivered: 1,
      lost: 1,
      invented: 1,
    });
  });
});
