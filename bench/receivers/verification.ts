import { type Comparison, compare } from "../comparison.ts";
import { inFreshProcess } from "../fresh-process.ts";
import { collectSamples } from "../samples.ts";
import type { SuiteOptions } from "../suite.ts";
import { makeVerifiers } from "./make-verifiers.ts";
import type { VerifyTask } from "./verify.ts";

/** How many checks of a signature one second of CPU time is good for. */
export async function measureVerification({ quick }: SuiteOptions): Promise<Comparison> {
  const [rounds, warmUpMs, sliceMs] = quick ? [2, 20, 20] : [20, 200, 200];
  const [samples] = await collectSamples(await makeVerifiers(), rounds, ({ label }) =>
    inFreshProcess<number[]>(new URL("verify.ts", import.meta.url), { label, warmUpMs, sliceMs } satisfies VerifyTask),
  );
  const title = "Checking the signature of a message of 300 bytes";
  return compare({ title, unit: "checks per second of CPU", better: "higher" }, samples);
}
