#!/usr/bin/env node
// Uses syntax that old versions of Node can parse, to report the required version instead of a SyntaxError.
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`@offers/sandbox needs Node 22.19 or newer; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  // The folder lock uses node:sqlite, which Node 22 and 24 call experimental. Users can do nothing about that warning.
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const [type] = rest;
    if ((type instanceof Object ? type.type : type) !== "ExperimentalWarning") emitWarning(warning, ...rest);
  };
  // V8 optimises WebAssembly only after a hundred times as many calls as usual, so the store opens faster.
  require("node:v8").setFlagsFromString("--wasm-tiering-budget=1500000000");
  // Keeps compiled JavaScript in the folder for temporary files, so that later starts are faster.
  require("node:module").enableCompileCache();
  void import("../dist/main.js");
}
