import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Runs a module in a process of its own, which has compiled and allocated nothing for another contender, and ends it.
 *
 * @param module sends one message
 * @param task what the module reads with {@link readTask}
 * @returns that message
 * @throws when it ends without
 */
export async function inFreshProcess<Result>(module: URL, task: unknown): Promise<Result> {
  const env = { ...process.env, NODE_ENV: "production" };
  const child = fork(fileURLToPath(module), [JSON.stringify(task)], { env });
  const exit = once(child, "exit");
  const ended = exit.then(([code]) => {
    throw new Error(`${module.pathname} ended with ${code}: ${JSON.stringify(task)}`);
  });
  const [result] = await Promise.race([once(child, "message"), ended]);
  ended.catch(() => {});
  child.kill();
  await exit;
  return result as Result;
}

/** What this process has been started for. */
export const readTask = <Task>(): Task => JSON.parse(process.argv[2] ?? "null") as Task;
