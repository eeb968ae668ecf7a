import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSeedFile } from "./seed-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "offers-seed-"));
});
afterAll(() => rm(folder, { recursive: true }));

const acme = { id: "acme", name: "Acme", kind: "hirer", apiKeys: ["s3cret-of-acme"] };
const crew = { ...acme, id: "crew", kind: "agency", apiKeys: ["s3cret-of-crew"] };
const crewFor = (organisationId: string, apiKey = "s3cret-of-crew-for-it") => ({
  ...crew,
  actsFor: [{ organisationId, apiKey }],
});
const person = (changes: object) => ({
  id: "ann",
  organisationId: "acme",
  name: "Ann",
  emailAddresses: ["ann@acme.example"],
  password: "s3cret-of-ann",
  ...changes,
});
const worker = (changes: object) => ({ id: "w", name: "W", devices: ["ios"], password: "s3cret-of-w", ...changes });

const writeAndRead = async (changes: object) => {
  const path = join(folder, "seed.json");
  await writeFile(path, JSON.stringify({ organisations: [acme], people: [], workers: [], ...changes }));
  return readSeedFile(path);
};

const duplicate = "Choose another value; this one is already used earlier in the file.";
const unknownOrganisation = "Use the id of an organisation in this file.";

test("reads a consistent seed file", () =>
  expect(
    writeAndRead({ organisations: [acme, crewFor("acme")], people: [person({})], workers: [worker({ id: "..." })] }),
  ).resolves.toMatchObject({ organisations: [{ id: "acme" }, { id: "crew" }] }));

test("accepts a hash instead of a password", () => {
  const passwordHash = "scrypt$32768$8$3$MDEyMzQ1Njc4OWFiY2RlZg$UZGTFTbCRXw2kMQOQwmjkjr99AYHsWc_-V0itH5k0Z4";
  return expect(writeAndRead({ workers: [worker({ password: undefined, passwordHash })] })).resolves.toMatchObject({
    workers: [{ passwordHash }],
  });
});

test.each([
  ["neither a password nor a hash", { password: undefined }, 'Set either "password" or "passwordHash".'],
  [
    "both a password and a hash",
    { passwordHash: "scrypt$2$1$1$MDEy$6pWBhsd6g_qcmFKRz87Oj_855N3jJpYdf8ywpedkgC4" },
    'Set either "password"',
  ],
  [
    "an invalid hash",
    { password: undefined, passwordHash: "s3cret" },
    "Use a hash in the format scrypt$N$r$p$salt$key.",
  ],
])("rejects a worker with %s without quoting the value", async (_, changes, remedy) => {
  const result = writeAndRead({ workers: [worker(changes)] });
  await expect(result).rejects.toThrow(remedy);
  await expect(result).rejects.not.toThrow("s3cret");
});

test.each([
  [
    "a person in an unknown organisation",
    { people: [person({ organisationId: "s3cret" })] },
    `people[0].organisationId: ${unknownOrganisation}`,
  ],
  [
    "an agency that acts for an unknown organisation",
    { organisations: [crewFor("s3cret")] },
    `organisations[0].actsFor[0].organisationId: ${unknownOrganisation}`,
  ],
  [
    "one id for two organisations",
    { organisations: [acme, { ...crew, id: "acme" }] },
    `organisations[1].id: ${duplicate}`,
  ],
  [
    "one id for two people",
    { people: [person({}), person({ emailAddresses: ["s3cret@x"] })] },
    `people[1].id: ${duplicate}`,
  ],
  ["one id for two workers", { workers: [worker({}), worker({})] }, `workers[1].id: ${duplicate}`],
  [
    "one API key for two organisations",
    { organisations: [acme, { ...crew, apiKeys: acme.apiKeys }] },
    `organisations[1].apiKeys[0]: ${duplicate}`,
  ],
  [
    "one API key for an organisation and for its agency",
    { organisations: [acme, crewFor("acme", "s3cret-of-acme")] },
    `organisations[1].actsFor[0].apiKey: ${duplicate}`,
  ],
  [
    "one email address in different case for two people",
    { people: [person({}), person({ id: "bo", emailAddresses: ["Ann@Acme.example"] })] },
    `people[1].emailAddresses[0]: ${duplicate}`,
  ],
  ["U+0000 in a name", { people: [person({ name: "s3cret\0" })] }, "people[0].name: Remove the character U+0000."],
  [
    "a lone surrogate in an id",
    { workers: [worker({ id: "s3cret\ud800" })] },
    "workers[0].id: Remove the lone surrogate.",
  ],
  [
    "a lone surrogate in an email address",
    { people: [person({ emailAddresses: ["s3cret\ud800@x"] })] },
    "people[0].emailAddresses[0]: Remove the lone surrogate.",
  ],
  [
    "an id that is too long for an index",
    { workers: [worker({ id: "s3cret".repeat(500) })] },
    "workers[0].id: Use at most 500 characters.",
  ],
  ...[".", ".."].map((id): [string, object, string] => [
    `the worker ${id}`,
    { workers: [worker({ id })] },
    "workers[0].id: Choose another id; this one cannot be used in a URL path.",
  ]),
])("rejects %s, and reports its path without quoting the value", async (_, changes, problem) => {
  const error = await writeAndRead(changes).catch((error: unknown) => error);
  expect(error).toMatchObject({
    code: "invalid_setting",
    message: `OFFERS_SEED: ${join(folder, "seed.json")} is invalid: ${problem}`,
  });
});
