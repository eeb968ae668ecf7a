/** The npm scripts that no workflow has to run by itself, and why. */
export const exemptScripts: Readonly<Record<string, string>> = {
  build: "every command that needs it begins with it",
  generate: "writes what npm test compares",
  format: "writes what npm test checks",
  contract: "a step of npm test",
  platform: "stays up; npm start runs it",
  integrator: "stays up; npm start runs it",
  hirer: "stays up; npm start runs it",
  changeset: "asks a person",
  version: "release.yml, while there are changesets",
  pack: "release.yml, once there are none",
};
