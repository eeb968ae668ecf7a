import { ForkedProcess } from "../scripts/processes/forked-process.ts";

/**
 * Runs a module in a separate process, which has not run any other candidate, and ends the process.
 *
 * @param module sends one message
 * @param task what the module reads with {@link readTask}
 * @returns that message
 * @throws if it ends without one
 */
export async function inFreshProcess<Result>(module: URL, task: unknown): Promise<Result> {
  const child = new ForkedProcess(module, JSON.stringify(task));
  const result = await child.message<Result>();
  await child.stop("SIGTERM");
  return result;
}

/** The task that this process was started for. */
export const readTask = <Task>(): Task => JSON.parse(process.argv[2] ?? "null") as Task;
