import { afterAll, beforeAll, describe, expect } from "vitest";
import { clientFace } from "./client-face.ts";
import { openApiFetchFace } from "./openapi-fetch-face.ts";
import { operationsSuite } from "./operations-suite.ts";
import type { ContractStage } from "./stage.ts";
import { wireSuite } from "./wire-suite.ts";

const faces = { OffersClient: clientFace, "/openapi-fetch": openApiFetchFace };

/** Holds a service to the contract (spec/openapi.yaml, spec/decisions.yaml): its operations, through every face of ours, and the wire. */
export function contractSuite(title: string, openStage: () => ContractStage | Promise<ContractStage>): void {
  describe(`the contract: ${title}`, () => {
    let stage: ContractStage | undefined;
    beforeAll(async () => {
      stage = await openStage();
    });
    // Undefined when it could not be opened: that is the failure to read then.
    afterAll(() => stage?.close());
    const stageOf = () => stage ?? expect.unreachable();
    for (const [name, faceOf] of Object.entries(faces))
      describe(`through ${name}`, () => operationsSuite(stageOf, () => faceOf(stageOf())));
    describe("on the wire", () => wireSuite(stageOf));
  });
}
