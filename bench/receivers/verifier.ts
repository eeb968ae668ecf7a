/** Checks the signature of one correctly signed message with one library. */
export interface Verifier {
  readonly label: string;
  /** @returns whether the signature is valid */
  verify(): boolean | Promise<boolean>;
}
