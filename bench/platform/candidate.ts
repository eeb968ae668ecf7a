/** One thing that is measured, a short slice at a time. */
export interface Candidate {
  readonly label: string;
  measure(): Promise<number>;
}
