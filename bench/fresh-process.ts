import { ForkedProcess } from "../scripts/processes/forked-process.ts";

/**
 * Runs a module in a new process, so that no other candidate affects the JIT or the heap, and stops the process.
 *
 * @param module a module that sends one message
 * @param task the input, which the module reads with {@link readTask}
 * @returns the module's message
 * @throws if the process exits without sending a message
 */
export async function runInFreshProcess<Result>(module: URL, task: unknown): Promise<Result> {
  const child = new ForkedProcess(module, JSON.stringify(task));
  const result = await child.waitForMessage<Result>();
  await child.stop("SIGTERM");
  return result;
}

/** Parses the task that {@link runInFreshProcess} passed to this process. */
export const readTask = <Task>(): Task => JSON.parse(process.argv[2] ?? "null") as Task;
