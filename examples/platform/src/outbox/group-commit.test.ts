import { expect, test, vi } from "vitest";
import { GroupCommit } from "./group-commit.ts";

const options = {
  maxGroup: 3,
  onError: () => undefined,
  isUnavailable: () => false,
  giveUp: async () => undefined,
  giveUpAfterMs: 0,
};

test("writes waiting items together, in groups up to the limit, in order", async () => {
  const groups: number[][] = [];
  const commits = new GroupCommit<number>({ ...options, commit: async (group) => void groups.push(group) });
  await Promise.all([1, 2, 3, 4].map((item) => commits.add(item)));
  await commits.add(5);
  expect(groups).toEqual([[1, 2, 3], [4], [5]]);
});

test("writes a second group while the first is being written, but only if the second group is full", async () => {
  const groups: number[][] = [];
  let write = (): void => undefined;
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const commit = (group: number[]): Promise<void> => {
    groups.push(group);
    return written;
  };
  const commits = new GroupCommit<number>({ ...options, commit, maxConcurrent: 2 });
  const first = commits.add(1);
  await new Promise(setImmediate);
  const others = [2, 3].map((item) => commits.add(item));
  await new Promise(setImmediate);
  expect(groups).toEqual([[1]]);
  others.push(...[4, 5, 6, 7].map((item) => commits.add(item)));
  await new Promise(setImmediate);
  expect(groups).toEqual([[1], [2, 3, 4]]);
  write();
  await Promise.all([first, ...others]);
  expect(groups).toEqual([[1], [2, 3, 4], [5, 6, 7]]);
});

test("writes a second group that is not full when the write of the first is slow, and no third group", async () => {
  const groups: number[][] = [];
  let write = (): void => undefined;
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const commit = (group: number[]): Promise<void> => {
    groups.push(group);
    return written;
  };
  const commits = new GroupCommit<number>({ ...options, commit, maxConcurrent: 2 });
  const added = [commits.add(1)];
  await new Promise(setImmediate);
  added.push(commits.add(2));
  await vi.waitFor(() => expect(groups).toHaveLength(2), 10_000);
  added.push(...[3, 4, 5].map((item) => commits.add(item)));
  await new Promise(setImmediate);
  expect(groups).toEqual([[1], [2]]);
  write();
  await Promise.all(added);
  expect(groups).toEqual([[1], [2], [3, 4, 5]]);
});

test("resolves the promise for an item only once the item is written", async () => {
  let write = (): void => undefined;
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  let resolved = false;
  const commits = new GroupCommit<number>({ ...options, commit: () => written });
  const added = commits.add(1).then(() => {
    resolved = true;
  });
  await new Promise(setImmediate);
  expect(resolved).toBe(false);
  write();
  await added;
  expect(resolved).toBe(true);
});

test("tries one item at a time while the store is unavailable, gives none up, and reports each failure", async () => {
  const errors: unknown[] = [];
  const givenUp: number[] = [];
  let failuresLeft = 2;
  const groups: number[][] = [];
  const commit = async (group: number[]): Promise<void> => {
    if (failuresLeft > 0) {
      failuresLeft -= 1;
      throw new Error("restarting");
    }
    groups.push(group);
  };
  const commits = new GroupCommit<number>({
    ...options,
    commit,
    isUnavailable: () => true,
    giveUp: async (item) => void givenUp.push(item),
    onError: (error) => errors.push(error),
  });
  const added = [1, 2].map((item) => commits.add(item));
  await vi.waitFor(() => expect(errors).toHaveLength(1), 10_000);
  await Promise.all([...added, commits.add(3)]);
  expect(groups[0]).toHaveLength(1);
  expect(groups.flat().sort()).toEqual([1, 2, 3]);
  expect(errors).toHaveLength(2);
  expect(givenUp).toEqual([]);
});

test("writes the other items of a group when one item cannot be written, and gives up only that item", async () => {
  const groups: number[][] = [];
  const givenUp: number[] = [];
  const commit = async (group: number[]): Promise<void> => {
    if (group.includes(2)) throw new Error("never");
    groups.push(group);
  };
  const commits = new GroupCommit<number>({ ...options, commit, giveUp: async (item) => void givenUp.push(item) });
  expect(await Promise.all([1, 2, 3].map((item) => commits.add(item)))).toEqual([true, true, true]);
  expect(groups).toEqual([[1], [3]]);
  expect(givenUp).toEqual([2]);
});

test("writes other groups while an item cannot be written, and keeps the item if it cannot be given up either", async () => {
  const groups: number[][] = [];
  let failuresToGiveUp = 0;
  const commit = async (group: number[]): Promise<void> => {
    if (group.includes(1) && failuresToGiveUp < 2) throw new Error("not yet");
    groups.push(group);
  };
  const giveUp = async (): Promise<void> => {
    failuresToGiveUp += 1;
    throw new Error("locked");
  };
  const commits = new GroupCommit<number>({ ...options, commit, giveUp });
  const first = commits.add(1);
  expect(await commits.add(2)).toBe(true);
  expect(await commits.add(3)).toBe(true);
  expect(await first).toBe(true);
  expect(groups).toEqual([[2], [3], [1]]);
});

test.each([
  ["the store is unavailable", true],
  ["an item can be neither written nor given up", false],
])("ends its retries after a stop when %s", async (_, isUnavailable) => {
  const fail = async (): Promise<void> => {
    throw new Error("never");
  };
  const commits = new GroupCommit<number>({
    ...options,
    commit: fail,
    giveUp: fail,
    isUnavailable: () => isUnavailable,
  });
  const added = [1, 2].map((item) => commits.add(item));
  commits.stop();
  expect(await Promise.all(added)).toEqual([false, false]);
});
