import type { FindingCode } from "../../src/vectors/vectors.ts";
import type { Edit, Program } from "../support/start-program.ts";

/** A correct receiver into which one defect is injected. */
export interface DefectiveReceiver {
  program: Program;
  defect: string;
  /** Replacements of correct lines with defective ones. */
  edits: readonly Edit[];
  env?: Record<string, string>;
  /** The code of the first finding. */
  expectedCode: FindingCode;
  /** A phrase in the result or the remedy of the first finding. */
  expectedPhrase: string;
  /** The groups and cases that show the defect in a short run. @default the service's own checks */
  only?: readonly string[];
  /** Whether defective-receivers.slow.test.ts tests it with a few cases. all-defective-receivers.slow.test.ts tests it with every case. */
  isMain?: true;
}

type DefectiveIn<Name extends Program> = Pick<
  DefectiveReceiver,
  "defect" | "expectedCode" | "expectedPhrase" | "edits"
> & {
  program: Name;
};

/** Returns a function that describes a defect to inject into a correct program. */
export const defectiveIn =
  <Name extends Program>(program: Name) =>
  (defect: string, expectedCode: FindingCode, expectedPhrase: string, ...edits: Edit[]): DefectiveIn<Name> => ({
    program,
    defect,
    expectedCode,
    expectedPhrase,
    edits,
  });
