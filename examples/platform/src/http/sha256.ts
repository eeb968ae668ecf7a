import { hash } from "node:crypto";

/** How API keys and session tokens are kept: they are long and random, so a plain hash hides them. */
export const sha256 = (text: string): string => hash("sha256", text, "hex");
