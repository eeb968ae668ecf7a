import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useOffersApi } from "./use-offers-api.ts";

describe.each(await anyStore())("the offers API on $title", ({ createDatabase }) => {
  const { call, create, act, complete, readNotificationReasons } = useOffersApi(createDatabase);

  describe("completions", () => {
    test("a completion that names workers who have not applied gets 400 with their indexes, and changes nothing [D-11]", async () => {
      const id = await create();
      await act("worker_amal", id, "apply");
      await act("worker_ben", id, "reject");
      const response = await complete(id, ["worker_amal", "worker_ben", "worker_dana"]);
      expect(response.json()).toMatchObject({
        status: 400,
        code: "worker_not_applied",
        errors: { "[1]": [expect.any(String)], "[2]": [expect.any(String)] },
      });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ complete: false });
    });

    test.each([
      [[], "body"],
      [{}, "body"],
      [[7], "[0]"],
      [[""], "[0]"],
    ])("a completion with the body %j gets 400", async (body, field) => {
      const response = await complete(await create(), body);
      expect(response.json()).toMatchObject({
        status: 400,
        code: "invalid_request",
        errors: { [field]: [expect.any(String)] },
      });
    });

    test("completions and responses are rejected after a completion or a withdrawal [D-08]", async () => {
      const id = await create();
      await act("worker_amal", id, "apply");
      await complete(id, ["worker_amal"]);
      for (const response of [await complete(id, ["worker_amal"]), await act("worker_amal", id, "reject")])
        expect(response.json()).toMatchObject({ status: 409, code: "offer_completed" });
      await call("GET", `/offer/${id}/withdraw`);
      for (const response of [await complete(id, ["worker_amal"]), await act("worker_ben", id, "apply")])
        expect(response.json()).toMatchObject({ status: 409, code: "offer_withdrawn" });
      expect((await act("worker_ben", id, "open")).status).toBe(204);
    });

    test("only one of several simultaneous completions succeeds", async () => {
      const id = await create();
      await act("worker_amal", id, "apply");
      const responses = await Promise.all([1, 2, 3, 4].map(() => complete(id, ["worker_amal"])));
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409]);
      await eventually(
        "the worker is notified of the outcome",
        async () => (await readNotificationReasons("worker_amal", id)).length === 2,
      );
    });
  });
});
