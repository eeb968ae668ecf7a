import { expect, test, vi } from "vitest";
import type { Heard, Topic } from "../../signals/signal.ts";
import { openLiveTopics } from "./live-topics.ts";

/** Signals that a test gives, and what a page of `org_a` is told. */
function openStage(showAllMail = false) {
  const listeners = new Set<(heard: Heard) => void>();
  const give = (...signals: Heard[]): void => {
    for (const signal of signals) for (const listener of listeners) listener(signal);
  };
  const subscribe = (listener: (heard: Heard) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const live = openLiveTopics({ subscribe }, { showAllMail });
  const follow = (since: string) => {
    const told: (readonly Topic[] | "everything")[] = [];
    const end = live.follow("org_a", since, (topics) => void told.push(topics));
    return { told, end };
  };
  return { live, give, follow, listeners };
}
const offer: Heard = { topic: "offer", organisationId: "org_a" };
const delivery: Heard = { topic: "delivery", organisationId: "org_a" };
const nothing: Heard = { topic: "delivery", organisationId: "org_b" };

test("a page immediately gets what changed since it was made, each topic once", () => {
  const { live, give, follow } = openStage();
  give(offer);
  const since = live.position();
  give(delivery, nothing, delivery, offer);
  expect(follow(since).told).toEqual([["delivery", "offer"]]);
  expect(follow(live.position()).told).toEqual([]);
});

test("later signals are sent together, and none after it has left", async () => {
  const { live, give, follow } = openStage();
  const [page, left] = [follow(live.position()), follow(live.position())];
  give(offer, delivery, offer);
  left.end();
  expect(page.told).toEqual([]);
  await vi.waitUntil(() => page.told.length > 0);
  give(nothing);
  give(delivery);
  await vi.waitUntil(() => page.told.length > 1);
  expect(page.told).toEqual([["offer", "delivery"], ["delivery"]]);
  expect(left.told).toEqual([]);
});

test('"everything" is sent as such, then and later', async () => {
  const { live, give, follow } = openStage();
  const since = live.position();
  const page = follow(since);
  give(offer, "everything");
  await vi.waitUntil(() => page.told.length > 0);
  expect(page.told).toEqual(["everything"]);
  expect(follow(since).told).toEqual(["everything"]);
});

test("after more than are kept it is everything, and of another process too", () => {
  const { live, give, follow } = openStage();
  const since = live.position();
  for (let count = 0; count < 1_000; count += 1) give(nothing);
  expect(follow(since).told).toEqual([]);
  for (let count = 0; count < 1_000; count += 1) give(nothing);
  expect(follow(since).told).toEqual(["everything"]);
  expect(follow(openStage().live.position()).told).toEqual(["everything"]);
});

test("mail to another person is sent only where all mail is shown", () => {
  for (const showAllMail of [false, true]) {
    const { live, give, follow } = openStage(showAllMail);
    const since = live.position();
    give({ topic: "mail" });
    give({ topic: "mail", organisationId: "org_b" });
    expect(follow(since).told).toEqual(showAllMail ? [["mail"]] : []);
  }
});

test("hears nothing when it is stopped", () => {
  const { live, listeners } = openStage();
  live.stop();
  expect(listeners.size).toBe(0);
});
