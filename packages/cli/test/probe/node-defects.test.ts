import { describeDefects } from "./defects-suite.ts";

// The stalled body takes 10 seconds. The languages of the slow suite include it.
describeDefects("node", { skip: ["timing/stalled-body"] });
