/** One way to check a signature, with a message that passes. */
export interface Verifier {
  readonly label: string;
  /** True if the signature is valid. */
  verify(): boolean | Promise<boolean>;
}
