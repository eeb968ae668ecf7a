import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFcmCredentials } from "./fcm-credentials.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "offers-fcm-"));
});
afterAll(() => rm(folder, { recursive: true }));

const writeAndRead = async (privateKey: unknown) => {
  const path = join(folder, "key.json");
  const account = { type: "service_account", project_id: "demo", client_email: "push@demo.example" };
  await writeFile(path, JSON.stringify({ ...account, private_key: privateKey }));
  return readFcmCredentials(path);
};
const pkcs8 = { format: "pem", type: "pkcs8" } as const;
const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });

test("reads a service account key", async () => {
  const privateKey = rsa.privateKey.export(pkcs8).toString();
  const credentials = { projectId: "demo", clientEmail: "push@demo.example", privateKey };
  expect(await writeAndRead(privateKey)).toEqual(credentials);
});

test.each([
  ["a string that is not a key", "s3cret"],
  ["an empty key", ""],
  ["an incomplete key", rsa.privateKey.export(pkcs8).toString().slice(0, 800)],
  ["a public key", rsa.publicKey.export({ format: "pem", type: "spki" })],
  ["a key of a type that Google rejects", generateKeyPairSync("ed25519").privateKey.export(pkcs8)],
])("rejects credentials with %s, without quoting it", (_, privateKey) =>
  expect(writeAndRead(privateKey)).rejects.toMatchObject({
    code: "invalid_setting",
    message: `OFFERS_FCM_CREDENTIALS: ${join(folder, "key.json")} does not contain a service account key; download one from the Firebase console`,
  }),
);
