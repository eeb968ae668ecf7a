import { hash } from "node:crypto";

/** Hashes API keys and session tokens: they are long and random, so they need no salt. */
export const sha256 = (text: string): string => hash("sha256", text, "hex");
