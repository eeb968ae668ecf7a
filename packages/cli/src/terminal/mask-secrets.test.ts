import { expect, test } from "vitest";
import { maskSecrets } from "./mask-secrets.ts";

const secret = "Überraschung-für-Zoë";

test.each([
  secret,
  secret.toUpperCase(),
  Buffer.from(secret).toString("latin1"),
  Buffer.from(secret).toString("base64"),
])("%s is masked", (form) =>
  expect(maskSecrets([undefined, "", secret])(`before ${form} after`)).toBe("before <secret> after"),
);

test("no secret masks nothing", () => expect(maskSecrets([undefined, ""])("text")).toBe("text"));
