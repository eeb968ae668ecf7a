import { targets } from "./targets.ts";

/** Jazzer.js calls this with every input. */
export const fuzz = targets[process.env.FUZZ_TARGET ?? ""]?.fuzz;
