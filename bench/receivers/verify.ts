// Runs in a separate process, and measures signature checks by one verifier and by the base, alternately.
import { readTask } from "../fresh-process.ts";
import { measureAlternately } from "../pairs.ts";
import { makeVerifiers } from "./make-verifiers.ts";
import type { Verifier } from "./verifier.ts";

/** Which two verifiers to measure, and for how long. */
export interface VerifyTask {
  readonly label: string;
  readonly baseLabel: string;
  readonly warmUpMs: number;
  readonly slices: number;
  readonly sliceMs: number;
}

const { label, baseLabel, warmUpMs, slices, sliceMs } = readTask<VerifyTask>();
const verifiers = await makeVerifiers();
const base = verifiers.find((candidate) => candidate.label === baseLabel);
const verifier = verifiers.find((candidate) => candidate.label === label);
if (!base || !verifier) throw new Error(`There is no verifier ${label} or ${baseLabel}.`);
await measureChecksPerSecond(base, warmUpMs);
await measureChecksPerSecond(verifier, warmUpMs);
const pair = await measureAlternately(
  slices,
  () => measureChecksPerSecond(base, sliceMs),
  () => measureChecksPerSecond(verifier, sliceMs),
);
process.send?.([pair]);

/** Checks signatures for at least `sliceMs` of CPU time. @returns checks per second of CPU time */
async function measureChecksPerSecond(verifier: Verifier, sliceMs: number): Promise<number> {
  const batchSize = 50;
  const start = process.cpuUsage();
  for (let count = batchSize; ; count += batchSize) {
    await verifyRepeatedly(verifier, batchSize);
    const { user, system } = process.cpuUsage(start);
    const cpuMicroseconds = user + system;
    if (cpuMicroseconds >= sliceMs * 1000) return (count / cpuMicroseconds) * 1_000_000;
  }
}

async function verifyRepeatedly({ label, verify }: Verifier, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    const result = verify();
    // Do not await a synchronous result, because awaiting takes time.
    const isValid = typeof result === "boolean" ? result : await result;
    if (!isValid) throw new Error(`${label} rejected a valid signature.`);
  }
}
