import { expect, test } from "vitest";
import { GroupCommit } from "./group-commit.ts";

const options = { maxGroup: 3, onError: () => undefined, giveUpAfterMs: 0 };

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

test("retries a group that could not be written, and reports each failure", async () => {
  const errors: unknown[] = [];
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
    giveUpAfterMs: 60_000,
    onError: (error) => errors.push(error),
  });
  await commits.add(1);
  expect(groups).toEqual([[1]]);
  expect(errors).toHaveLength(2);
});

test("writes the other items of a group when one item cannot be written, and reports which were written", async () => {
  const groups: number[][] = [];
  const commit = async (group: number[]): Promise<void> => {
    if (group.includes(2)) throw new Error("never");
    groups.push(group);
  };
  const commits = new GroupCommit<number>({ ...options, commit });
  expect(await Promise.all([1, 2, 3].map((item) => commits.add(item)))).toEqual([true, false, true]);
  expect(groups).toEqual([[1], [3]]);
  expect(await commits.add(4)).toBe(true);
});

test("gives up on a group that keeps failing, and writes the next one", async () => {
  const groups: number[][] = [];
  const commit = async (group: number[]): Promise<void> => {
    if (group.includes(1)) throw new Error("never");
    groups.push(group);
  };
  const commits = new GroupCommit<number>({ ...options, commit });
  await commits.add(1);
  await commits.add(2);
  expect(groups).toEqual([[2]]);
});
