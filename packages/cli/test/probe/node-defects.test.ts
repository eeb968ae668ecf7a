import { describeDefects } from "./defects-suite.ts";

// The slow suite has every case and five other languages.
describeDefects("node", { isShort: true });
