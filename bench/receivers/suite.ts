import type { Suite } from "../suite.ts";
import { measureEndToEnd } from "./end-to-end.ts";
import { measureVerification } from "./verification.ts";

/** The first is the base. */
const contenders = [
  "express-json",
  "kit-without-receipts",
  "kit",
  "kit-node",
  "octokit",
  "stripe",
  "svix",
  "standard-webhooks",
].map((name) => new URL(`contenders/${name}.ts`, import.meta.url));

/** Receivers end to end, then the check of a signature alone. */
export const measureReceivers: Suite = async (options) => [
  ...(await measureEndToEnd(contenders, [300, 10_000], options)),
  await measureVerification(options),
];
