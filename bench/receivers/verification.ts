import { type Comparison, compare } from "../comparison.ts";
import { runRounds } from "../rounds.ts";
import type { SuiteOptions } from "../suite.ts";
import { makeVerifiers } from "./make-verifiers.ts";
import type { Verifier } from "./verifier.ts";

/** How many checks of a signature one second of CPU time is good for. */
export async function measureVerification({ quick }: SuiteOptions): Promise<Comparison> {
  const verifiers = await makeVerifiers();
  const [rounds, sliceMs, warmUpMs] = quick ? [3, 20, 100] : [31, 30, 400];
  await runRounds(verifiers, 1, (verifier) => countPerSecond(verifier, warmUpMs));
  const samples = await runRounds(verifiers, rounds, (verifier) => countPerSecond(verifier, sliceMs));
  const title = "Checking the signature of a message of 300 bytes";
  return compare({ title, unit: "checks per second of CPU", better: "higher" }, samples);
}

const batch = 200;

async function countPerSecond(verifier: Verifier, sliceMs: number): Promise<number> {
  const start = process.cpuUsage();
  for (let count = batch; ; count += batch) {
    await checkBatch(verifier);
    const { user, system } = process.cpuUsage(start);
    if (user + system >= sliceMs * 1000) return (count / (user + system)) * 1_000_000;
  }
}

async function checkBatch({ label, verify }: Verifier): Promise<void> {
  for (let count = 0; count < batch; count += 1) {
    const answer = verify();
    // Only who answers with a promise pays for one.
    if (!(typeof answer === "boolean" ? answer : await answer)) throw new Error(`${label} refused a good signature.`);
  }
}
