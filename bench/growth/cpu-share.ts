import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Holds a process to a part of one core, until it ends. */
export interface CpuShare {
  hold(pid: number): void;
  /** Once the process has ended. */
  remove(): void;
}

const periodMicroseconds = 100_000;

/**
 * A control group of Linux, of version 1 or 2. A process that was stopped by signals instead would keep its locks while it is
 * stopped for whole seconds.
 *
 * @param cores a part of one: 0.15
 * @returns undefined where this process may not make control groups
 * @see https://docs.kernel.org/scheduler/sched-bwc.html
 */
export function openCpuShare(cores: number): CpuShare | undefined {
  const quota = cores * periodMicroseconds;
  const isFirst = existsSync("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  const folder = join(isFirst ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup", `offers-bench-${process.pid}-${made++}`);
  try {
    mkdirSync(folder);
    if (isFirst) {
      writeFileSync(join(folder, "cpu.cfs_period_us"), String(periodMicroseconds));
      writeFileSync(join(folder, "cpu.cfs_quota_us"), String(quota));
    } else writeFileSync(join(folder, "cpu.max"), `${quota} ${periodMicroseconds}`);
  } catch {
    if (existsSync(folder)) rmdirSync(folder);
    return undefined;
  }
  return {
    hold: (pid) => writeFileSync(join(folder, "cgroup.procs"), String(pid)),
    remove: () => rmdirSync(folder),
  };
}

let made = 0;
