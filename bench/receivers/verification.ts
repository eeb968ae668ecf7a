import { type Comparison, compare } from "../comparison.ts";
import { runInFreshProcess } from "../fresh-process.ts";
import { collectPairs, type Pair } from "../pairs.ts";
import type { SuiteOptions } from "../suite.ts";
import { makeVerifiers } from "./make-verifiers.ts";
import type { VerifyTask } from "./verify.ts";

/** Measures how many signatures can be checked in one second of CPU time. */
export async function measureVerification({ quick }: SuiteOptions): Promise<Comparison> {
  const { rounds, warmUpMs, slices } = quick
    ? { rounds: 2, warmUpMs: 20, slices: 3 }
    : { rounds: 12, warmUpMs: 200, slices: 21 };
  const [samples] = await collectPairs(await makeVerifiers(), rounds, ({ label }, base) =>
    runInFreshProcess<Pair[]>(new URL("verify.ts", import.meta.url), {
      label,
      baseLabel: base.label,
      warmUpMs,
      slices,
      sliceMs: 20,
    } satisfies VerifyTask),
  );
  const title = "Checking the signature of a message of 300 bytes";
  return compare({ title, unit: "checks per second of CPU", better: "higher" }, samples?.values, samples?.ratios);
}
