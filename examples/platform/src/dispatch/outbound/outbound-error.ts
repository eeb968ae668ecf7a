import type { OutboundFailureCode } from "./outbound.ts";

/** Why a request cannot be made, or has no response that counts. The message is for people and holds no secret. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly code: OutboundFailureCode;

  constructor(code: OutboundFailureCode, message: string) {
    super(message);
    this.code = code;
  }
}
