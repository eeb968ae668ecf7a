import type { Request } from "express";
import { expect, test } from "vitest";
import { pathParameter } from "./routes.ts";

const readId = (params: Request["params"]): string => {
  const request: Partial<Request> = { params };
  return pathParameter(request as Request, "id");
};

test.each(["offer_1", "a/b", "厨房", " "])("accepts %j as an id", (id) => expect(readId({ id })).toBe(id));

test.each([{ id: "offer\0" }, { id: ["offer", "1"] }, {}])("rejects %j as an id", (params) =>
  expect(readId(params)).toBe(""),
);
