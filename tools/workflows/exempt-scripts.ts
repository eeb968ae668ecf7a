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
  "platform:without-demo": "stays up; npm run guides runs it",
  corpus: "asks a receiver of the reader's; npm test sends the corpus to ours",
  tarballs: "release.yml, once there are none",
};
