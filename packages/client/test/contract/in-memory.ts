import { createTestService, type TestService } from "../../src/testing.ts";
import { type ContractFixture, keys, workers } from "./fixture.ts";

/** Creates an in-memory service with the organisations and workers that every fixture has. */
export function createSeededService(dialect: "reference" | "live"): TestService {
  const service = createTestService({
    baseUrl: "https://service.example/prefix",
    apiKey: keys.harbour,
    dialect,
    workers,
  });
  service.addApiKey(keys.bistro, { userIds: ["user_bo"] });
  service.addApiKey(keys.crew, { userIds: ["user_ada"] });
  service.addApiKey(keys.crewForHarbour, { userIds: ["user_ada"], actingFor: keys.harbour });
  return service;
}

/** Creates a fixture for an in-memory service, which is called through its own `fetch` by default. */
export function createInMemoryFixture(
  dialect: "reference" | "live",
  service = createSeededService(dialect),
  fetch = service.fetch,
): ContractFixture {
  return {
    dialect,
    baseUrl: service.baseUrl,
    fetch,
    async respond(offerId, workerId, response) {
      try {
        service.respond(offerId, workerId, response);
        return "done";
      } catch (error) {
        if (error instanceof Error && "code" in error) return String(error.code);
        throw error;
      }
    },
    notifications: async (offerId, workerId) =>
      service.notifications
        .filter((notification) => notification.offerId === offerId && notification.workerId === workerId)
        .map(({ reason }) => reason),
    close: async () => {},
  };
}
