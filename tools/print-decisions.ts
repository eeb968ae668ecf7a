export async function printDecisions(root) { return "x\n" }
