import { createTestService, type TestService } from "../../src/testing.ts";
import { type ContractStage, keys, workers } from "./stage.ts";

/** The organisations and workers of every stage, in memory. */
export function testServiceOnStage(dialect: "reference" | "live"): TestService {
  const service = createTestService({
    baseUrl: "https://service.example/prefix",
    apiKey: keys.harbour,
    dialect,
    workers,
  });
  service.addApiKey(keys.bistro, { userIds: ["user_bo"] });
  service.addApiKey(keys.crew, { userIds: ["user_ada"] });
  service.addApiKey(keys.crewForHarbour, { userIds: ["user_ada"], offersOf: keys.harbour });
  return service;
}

/** The service in memory as a stage, reached through its own `fetch` unless another is given. */
export function inMemoryStage(
  dialect: "reference" | "live",
  service = testServiceOnStage(dialect),
  fetch = service.fetch,
): ContractStage {
  return {
    dialect,
    baseUrl: service.baseUrl,
    fetch,
    async respond(offerId, workerId, response) {
      try {
        service.respond(offerId, workerId, response);
        return "done";
      } catch (error) {
        return String(Object(error).code);
      }
    },
    told: async (offerId, workerId) =>
      service.notifications
        .filter((one) => one.offerId === offerId && one.workerId === workerId)
        .map(({ reason }) => reason),
    close: async () => {},
  };
}
