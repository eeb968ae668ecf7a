import { ForkedProcess } from "../scripts/processes/forked-process.ts";

/**
 * Runs a module in a new process, whose JIT and heap no other candidate has affected, and stops the process.
 *
 * @param module sends one message
 * @param task what the module reads with {@link readTask}
 * @returns that message
 * @throws if the process exits without sending one
 */
export async function runInFreshProcess<Result>(module: URL, task: unknown): Promise<Result> {
  const child = new ForkedProcess(module, JSON.stringify(task));
  const result = await child.nextMessage<Result>();
  await child.stop("SIGTERM");
  return result;
}

/** Parses the task that {@link runInFreshProcess} passed to this process. */
export const readTask = <Task>(): Task => JSON.parse(process.argv[2] ?? "null") as Task;
