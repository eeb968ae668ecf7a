/** One thing that is measured, a short slice at a time. */
export interface PlatformCandidate {
  readonly label: string;
  measure(): Promise<number>;
}
