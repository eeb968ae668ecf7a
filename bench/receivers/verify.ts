// Runs in a separate process: measures signature checks by one verifier and by the base, alternately.
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
const [base, verifier] = [baseLabel, label].map((name) => verifiers.find((candidate) => candidate.label === name));
if (!base || !verifier) throw new Error(`There is no verifier ${label} or ${baseLabel}.`);
for (const toWarmUp of [base, verifier]) await measureChecksPerSecond(toWarmUp, warmUpMs);
const pair = await measureAlternately(
  slices,
  () => measureChecksPerSecond(base, sliceMs),
  () => measureChecksPerSecond(verifier, sliceMs),
);
process.send?.([pair]);

/** Checks signatures for a slice of CPU time. @returns checks per second of CPU time */
async function measureChecksPerSecond(verifier: Verifier, sliceMs: number): Promise<number> {
  const batch = 50;
  const start = process.cpuUsage();
  for (let count = batch; ; count += batch) {
    await verifyRepeatedly(verifier, batch);
    const { user, system } = process.cpuUsage(start);
    if (user + system >= sliceMs * 1000) return (count / (user + system)) * 1_000_000;
  }
}

async function verifyRepeatedly({ label, verify }: Verifier, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    const result = verify();
    // A synchronous verifier is not awaited, so it does not pay for a promise.
    if (!(typeof result === "boolean" ? result : await result)) throw new Error(`${label} rejected a valid signature.`);
  }
}
