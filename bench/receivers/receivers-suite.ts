import type { Suite } from "../suite.ts";
import { measureEndToEnd } from "./end-to-end.ts";
import type { EventShape } from "./make-requests.ts";
import { measureVerification } from "./verification.ts";

/** The other candidates are compared with the first one, which is the base. */
const candidates = [
  "express-json",
  "kit-without-deduplication",
  "kit",
  "kit-standard-webhooks",
  "kit-node",
  "octokit",
  "stripe",
  "svix",
  "standard-webhooks",
].map((name) => new URL(`candidates/${name}.ts`, import.meta.url));

const shapes: readonly EventShape[] = [
  { bytes: 300, padding: "text" },
  { bytes: 10_000, padding: "text" },
  { bytes: 10_000, padding: "objects" },
];

/** Measures receivers end to end, and then signature checks alone. */
export const measureReceivers: Suite = async (options) => [
  ...(await measureEndToEnd(candidates, shapes, options)),
  await measureVerification(options),
];
