import { createHash } from "node:crypto";

/** A repeatable random number from 0 to below 1: the same for the same arguments in every process. */
export const seededRandom = (...numbers: readonly number[]): number =>
  createHash("sha256").update(numbers.join()).digest().readUInt32BE() / 2 ** 32;
