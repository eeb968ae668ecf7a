import type { FindingCode } from "../../src/corpus/corpus.ts";
import type { Edit, Program } from "../support/start-program.ts";

/** A correct receiver with one defect. */
export interface PlantedReceiver {
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
  /** Whether planted.slow.test.ts tests it, with few cases. planted-all.slow.test.ts tests all, with every case. */
  isMain?: true;
}

type Planted<Name extends Program> = Pick<PlantedReceiver, "defect" | "found" | "says" | "edits"> & { program: Name };

/** Adds defects to the correct receiver of a language. */
export const plantedIn =
  <Name extends Program>(program: Name) =>
  (defect: string, found: FindingCode, says: string, ...edits: Edit[]): Planted<Name> => ({
    program,
    defect,
    found,
    says,
    edits,
  });
