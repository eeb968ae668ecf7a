import type { FindingCode } from "../../src/vectors/vectors.ts";
import type { Edit, Program } from "../support/start-program.ts";

/** A correct receiver with one defect. */
export interface DefectiveReceiver {
  program: Program;
  defect: string;
  /** The wrong lines, in place of the correct ones. */
  edits: readonly Edit[];
  env?: Record<string, string>;
  found: FindingCode;
  /** What the first finding says in addition to its code; part of the request's result or of the remedy. */
  says: string;
  /** The groups and cases that show it in a short run. By default, the service's own checks do. */
  only?: readonly string[];
  /** Whether defective-receivers.slow.test.ts tests it, with few cases. all-defective-receivers.slow.test.ts tests all, with every case. */
  isMain?: true;
}

type DefectiveIn<Name extends Program> = Pick<DefectiveReceiver, "defect" | "found" | "says" | "edits"> & {
  program: Name;
};

/** Adds defects to the correct receiver of a language. */
export const defectiveIn =
  <Name extends Program>(program: Name) =>
  (defect: string, found: FindingCode, says: string, ...edits: Edit[]): DefectiveIn<Name> => ({
    program,
    defect,
    found,
    says,
    edits,
  });
