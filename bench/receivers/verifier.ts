/** One way of checking a signature, with a message that passes it. */
export interface Verifier {
  readonly label: string;
  /** True when the signature is right. */
  verify(): boolean | Promise<boolean>;
}
