import { expect, test, vi } from "vitest";
import type { ReceivedSignal, Topic } from "../../../store/store.ts";
import { openLiveTopics } from "./live-topics.ts";

/** Opens live topics for signals that the test publishes. */
function openTopics(showAllMail = false) {
  const listeners = new Set<(signal: ReceivedSignal) => void>();
  const publish = (...signals: ReceivedSignal[]): void => {
    for (const signal of signals) for (const listener of listeners) listener(signal);
  };
  const subscribe = (listener: (signal: ReceivedSignal) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const live = openLiveTopics({ subscribe }, { showAllMail });
  const follow = (since: string) => {
    const received: (readonly Topic[] | "everything")[] = [];
    const end = live.follow(["org_a"], since, (topics) => void received.push(topics));
    return { received, end };
  };
  return { live, publish, follow, listeners };
}
const offer: ReceivedSignal = { topic: "offer", organisationId: "org_a" };
const delivery: ReceivedSignal = { topic: "delivery", organisationId: "org_a" };
const otherDelivery: ReceivedSignal = { topic: "delivery", organisationId: "org_b" };

test("reports each topic once if it changed after the page was rendered", () => {
  const { live, publish, follow } = openTopics();
  publish(offer);
  const since = live.position();
  publish(delivery, otherDelivery, delivery, offer);
  expect(follow(since).received).toEqual([["delivery", "offer"]]);
  expect(follow(live.position()).received).toEqual([]);
});

test("reports later signals together, and stops when the page is closed", async () => {
  const { live, publish, follow } = openTopics();
  const [page, closedPage] = [follow(live.position()), follow(live.position())];
  publish(offer, delivery, offer);
  closedPage.end();
  expect(page.received).toEqual([]);
  await vi.waitUntil(() => page.received.length > 0);
  publish(otherDelivery);
  publish(delivery);
  await vi.waitUntil(() => page.received.length > 1);
  expect(page.received).toEqual([["offer", "delivery"], ["delivery"]]);
  expect(closedPage.received).toEqual([]);
});

test('reports "everything", whether it is published before or after a page subscribes', async () => {
  const { live, publish, follow } = openTopics();
  const since = live.position();
  const page = follow(since);
  publish(offer, "everything");
  await vi.waitUntil(() => page.received.length > 0);
  expect(page.received).toEqual(["everything"]);
  expect(follow(since).received).toEqual(["everything"]);
});

test('reports "everything" if the position is older than the stored signals or belongs to a different process', () => {
  const { live, publish, follow } = openTopics();
  const since = live.position();
  for (let count = 0; count < 1_000; count += 1) publish(otherDelivery);
  expect(follow(since).received).toEqual([]);
  for (let count = 0; count < 1_000; count += 1) publish(otherDelivery);
  expect(follow(since).received).toEqual(["everything"]);
  expect(follow(openTopics().live.position()).received).toEqual(["everything"]);
});

test("reports other people's mail only when all mail is shown", () => {
  for (const showAllMail of [false, true]) {
    const { live, publish, follow } = openTopics(showAllMail);
    const since = live.position();
    publish({ topic: "mail" });
    publish({ topic: "mail", organisationId: "org_b" });
    expect(follow(since).received).toEqual(showAllMail ? [["mail"]] : []);
  }
});

test("receives nothing after it is stopped", () => {
  const { live, listeners } = openTopics();
  live.stop();
  expect(listeners.size).toBe(0);
});
