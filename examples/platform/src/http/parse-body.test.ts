import { expect, test } from "vitest";
import { z } from "zod";
import { parseBody } from "./parse-body.ts";

const schema = z.array(z.string().min(1)).min(1);

test("gives a body that its schema accepts", () => expect(parseBody(schema, ["amal"])).toEqual(["amal"]));

test("refuses another with the name of every wrong field", () =>
  expect(() => parseBody(schema, ["amal", "", 7])).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: "2 fields are not valid; see errors.",
      errors: new Map([
        ["[1]", ["Do not leave it empty."]],
        ["[2]", ["Make it a string."]],
      ]),
    }),
  ));
