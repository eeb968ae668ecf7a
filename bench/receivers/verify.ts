// Checks of a signature in a process of its own.
import { readTask } from "../fresh-process.ts";
import { makeVerifiers } from "./make-verifiers.ts";
import type { Verifier } from "./verifier.ts";

/** Who checks, and for how long. */
export interface VerifyTask {
  readonly label: string;
  readonly warmUpMs: number;
  readonly sliceMs: number;
}

const { label, warmUpMs, sliceMs } = readTask<VerifyTask>();
const verifier = (await makeVerifiers()).find((one) => one.label === label);
if (!verifier) throw new Error(`There is no verifier ${label}.`);
await countPerSecond(verifier, warmUpMs);
process.send?.([await countPerSecond(verifier, sliceMs)]);

async function countPerSecond(verifier: Verifier, sliceMs: number): Promise<number> {
  const batch = 200;
  const start = process.cpuUsage();
  for (let count = batch; ; count += batch) {
    await check(verifier, batch);
    const { user, system } = process.cpuUsage(start);
    if (user + system >= sliceMs * 1000) return (count / (user + system)) * 1_000_000;
  }
}

async function check({ label, verify }: Verifier, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    const isValid = verify();
    if (!(typeof isValid === "boolean" ? isValid : await isValid))
      throw new Error(`${label} refused a good signature.`);
  }
}
