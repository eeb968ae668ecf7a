import { expect, test, vi } from "vitest";
import { memoryDeduplication } from "../../src/index.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { adapters } from "../support/adapters.ts";
import { createSignedHeaders, secret } from "../support/serve.ts";

const neverSettle = () => new Promise<never>(() => undefined);

const situations: [string, Partial<ReceiverOptions>, string][] = [
  ["a secret function", { secret: neverSettle }, "secret_lookup_failed"],
  ["acquire", { deduplication: { ...memoryDeduplication(), acquire: neverSettle } }, "deduplication_failed"],
];

test.each(situations)(
  "when %s never settles, the request gets 503 and no handler runs, on every adapter [D-64]",
  async (_, options, code) => {
    // Tests the adapters concurrently, because each waits for the same timeout.
    await Promise.all(
      adapters.map(async (adapter) => {
        const onError = vi.fn();
        const onWorkerAddedContact = vi.fn();
        const { url } = await adapter.serve({ secret, onError, onWorkerAddedContact, ...options });
        const { status } = await fetch(`${url}/contact/new/amal`, { headers: createSignedHeaders() });
        expect([adapter.name, status]).toEqual([adapter.name, 503]);
        expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code }));
        expect(onWorkerAddedContact).not.toHaveBeenCalled();
      }),
    );
  },
);
