import type { Scheme } from "../../../../cli/src/signature/sign-request.ts";
import { type ReceiverNeeds, readVectors, type TestVectors } from "../../../../cli/src/vectors/vectors.ts";
import type { SignatureScheme } from "../../../src/signature/signature-scheme.ts";

/** The options for every receiver in a child process, whatever its adapter. */
export interface ReceiverSetup {
  secret: string[];
  scheme?: SignatureScheme;
  now: () => Date;
  replayProtection?: "single-use-signature";
  onWorkerAddedContact?: (event: unknown) => unknown;
  onWorkerOfferResponse?: (event: unknown) => unknown;
  onOfferEventDeleted?: (event: unknown) => unknown;
  onTimelineChanged?: (event: unknown) => unknown;
  suggestContacts?: (search: unknown) => never[];
  onRejected: (rejection: { code: string }) => void;
}

/** Encodes what the case needs in the first segment of the receiver's path, so that nothing has to be set up beforehand. */
export const writeMount = (number: number, needs: ReceiverNeeds): string =>
  `${number}.${Buffer.from(JSON.stringify(needs)).toString("base64url")}`;

/** Decodes what `writeMount` encoded. */
export const readMount = (mount: string): ReceiverNeeds =>
  JSON.parse(Buffer.from(mount.split(".")[1] ?? "", "base64url").toString()) as ReceiverNeeds;

/** The messages between the test and a receiver process. */
export type ToReceiver = { ask: "tally"; mounts: string[] } | { ask: "release"; mount: string };
export type FromReceiver =
  | { type: "listening"; port: number }
  | { type: "held"; mount: string }
  | { type: "tally"; noted: { handled: number; given: unknown[]; reasons: string[] }[]; isPolluted: boolean };

/** Returns the settings that the sender and the receiver share. Standard Webhooks secrets are encoded as base64. */
export function configFor(scheme: Scheme): TestVectors["config"] {
  const { config } = readVectors();
  if (scheme === "timestampDigest") return config;
  const encoded = Object.entries(config.secrets).map(([name, secret]) => [
    name,
    Buffer.from(secret).toString("base64"),
  ]);
  return { ...config, secrets: Object.fromEntries(encoded) as Record<string, string> };
}
