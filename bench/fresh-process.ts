import { ForkedProcess } from "../scripts/processes/forked-process.ts";

/**
 * Runs a module in a process of its own, which has compiled and allocated nothing for another candidate, and ends it.
 *
 * @param module sends one message
 * @param task what the module reads with {@link readTask}
 * @returns that message
 * @throws when it ends without
 */
export async function inFreshProcess<Result>(module: URL, task: unknown): Promise<Result> {
  const child = new ForkedProcess(module, JSON.stringify(task));
  const result = await child.message<Result>();
  await child.stop("SIGTERM");
  return result;
}

/** What this process has been started for. */
export const readTask = <Task>(): Task => JSON.parse(process.argv[2] ?? "null") as Task;
