import { InvalidArgumentError, Option } from "commander";
import type { Scheme } from "../corpus/scheme.ts";

const schemeNames: Readonly<Record<string, Scheme>> = {
  "timestamp-digest": "timestampDigest",
  "standard-webhooks": "standardWebhooks",
};

/** Options that commands share. */
export const schemeOption = (): Option =>
  new Option("--scheme <scheme>", "how webhooks are signed: timestamp-digest or standard-webhooks")
    .default("timestampDigest", "timestamp-digest")
    .argParser((text: string) => {
      const scheme = schemeNames[text];
      if (!scheme) throw new InvalidArgumentError(`Choose ${Object.keys(schemeNames).join(" or ")}.`);
      return scheme;
    });

export const secretFileOption = (): Option =>
  new Option("--secret-file <file>", "file with the secret; without it, WEBHOOK_SECRET or a prompt");

export const timeoutOption = (seconds: number): Option =>
  new Option("--timeout <seconds>", "how long to wait for a response")
    .default(seconds * 1000, String(seconds))
    .argParser((text: string) => {
      const parsed = Number(text);
      if (!(parsed > 0 && parsed <= 300)) throw new InvalidArgumentError("Give a number of seconds up to 300.");
      return parsed * 1000;
    });

/** For an option that may be given several times. */
export const collect = (text: string, sofar: string[] = []): string[] => [...sofar, text];

/** For a list with commas, which may be given several times. */
export const collectList = (text: string, sofar: string[] = []): string[] => [
  ...sofar,
  ...text.split(",").filter(Boolean),
];
