// What the installation changes of a package's manifest; see https://pnpm.io/pnpmfile
module.exports = {
  hooks: {
    readPackage(manifest) {
      // The platform serves its standalone bundle, which holds all of them: 284 packages and 311 MB become one of 57 MB.
      if (manifest.name === "@scalar/api-reference") manifest.dependencies = {};
      return manifest;
    },
  },
};
