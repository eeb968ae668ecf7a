import type { Scheme } from "../../../../cli/src/signature/sign-request.ts";
import { type ReceiverNeeds, readVectors, type TestVectors } from "../../../../cli/src/vectors/vectors.ts";
import type { SignatureScheme } from "../../../src/signature/signature-scheme.ts";

/** The options of a receiver in the child process. They are the same for every adapter. */
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

/** Encodes the settings that a case needs as the first path segment, so that the first request can create the receiver. */
export const encodeMount = (caseNumber: number, needs: ReceiverNeeds): string =>
  `${caseNumber}.${Buffer.from(JSON.stringify(needs)).toString("base64url")}`;

/** Decodes the settings from a path segment that {@link encodeMount} returned. */
export const decodeMount = (mount: string): ReceiverNeeds =>
  JSON.parse(Buffer.from(mount.split(".")[1] ?? "", "base64url").toString()) as ReceiverNeeds;

/** The messages between the test and a receiver process. */
export type ToReceiver = { type: "tally"; mounts: string[] } | { type: "release"; mount: string };
export type FromReceiver =
  | { type: "listening"; port: number }
  | { type: "held"; mount: string }
  | { type: "tally"; records: { handled: number; given: unknown[]; reasons: string[] }[]; isPolluted: boolean };

/** Returns the settings that the sender and the receiver share. Standard Webhooks secrets are encoded as base64. */
export function configFor(scheme: Scheme): TestVectors["config"] {
  const { config } = readVectors();
  if (scheme === "timestampDigest") return config;
  const encodedSecrets = Object.entries(config.secrets).map(([name, secret]) => [
    name,
    Buffer.from(secret).toString("base64"),
  ]);
  return { ...config, secrets: Object.fromEntries(encodedSecrets) as Record<string, string> };
}
