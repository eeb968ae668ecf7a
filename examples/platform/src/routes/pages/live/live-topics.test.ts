import { expect, test, vi } from "vitest";
import type { ReceivedSignal, Topic } from "../../../store/store.ts";
import { openLiveTopics } from "./live-topics.ts";

/** Opens live topics for signals that the test publishes. */
function openTopics(showAllMail = false) {
  const listeners = new Set<(heard: ReceivedSignal) => void>();
  const give = (...signals: ReceivedSignal[]): void => {
    for (const signal of signals) for (const listener of listeners) listener(signal);
  };
  const subscribe = (listener: (heard: ReceivedSignal) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const live = openLiveTopics({ subscribe }, { showAllMail });
  const follow = (since: string) => {
    const received: (readonly Topic[] | "everything")[] = [];
    const end = live.follow(["org_a"], since, (topics) => void received.push(topics));
    return { received, end };
  };
  return { live, give, follow, listeners };
}
const offer: ReceivedSignal = { topic: "offer", organisationId: "org_a" };
const delivery: ReceivedSignal = { topic: "delivery", organisationId: "org_a" };
const nothing: ReceivedSignal = { topic: "delivery", organisationId: "org_b" };

test("sends a page what changed since it was rendered, each topic once", () => {
  const { live, give, follow } = openTopics();
  give(offer);
  const since = live.position();
  give(delivery, nothing, delivery, offer);
  expect(follow(since).received).toEqual([["delivery", "offer"]]);
  expect(follow(live.position()).received).toEqual([]);
});

test("sends later signals together, and none after the page is closed", async () => {
  const { live, give, follow } = openTopics();
  const [page, left] = [follow(live.position()), follow(live.position())];
  give(offer, delivery, offer);
  left.end();
  expect(page.received).toEqual([]);
  await vi.waitUntil(() => page.received.length > 0);
  give(nothing);
  give(delivery);
  await vi.waitUntil(() => page.received.length > 1);
  expect(page.received).toEqual([["offer", "delivery"], ["delivery"]]);
  expect(left.received).toEqual([]);
});

test('sends "everything" as such, immediately and later', async () => {
  const { live, give, follow } = openTopics();
  const since = live.position();
  const page = follow(since);
  give(offer, "everything");
  await vi.waitUntil(() => page.received.length > 0);
  expect(page.received).toEqual(["everything"]);
  expect(follow(since).received).toEqual(["everything"]);
});

test("sends everything when the position is older than the kept signals or from another process", () => {
  const { live, give, follow } = openTopics();
  const since = live.position();
  for (let count = 0; count < 1_000; count += 1) give(nothing);
  expect(follow(since).received).toEqual([]);
  for (let count = 0; count < 1_000; count += 1) give(nothing);
  expect(follow(since).received).toEqual(["everything"]);
  expect(follow(openTopics().live.position()).received).toEqual(["everything"]);
});

test("reports mail to others only when all mail is shown", () => {
  for (const showAllMail of [false, true]) {
    const { live, give, follow } = openTopics(showAllMail);
    const since = live.position();
    give({ topic: "mail" });
    give({ topic: "mail", organisationId: "org_b" });
    expect(follow(since).received).toEqual(showAllMail ? [["mail"]] : []);
  }
});

test("receives nothing after it is stopped", () => {
  const { live, listeners } = openTopics();
  live.stop();
  expect(listeners.size).toBe(0);
});
