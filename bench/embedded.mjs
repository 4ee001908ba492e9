/** A program that embeds a simulator; prints how long the import and the first simulator take together. */
const began = performance.now();
const { createSimulator } = await import("../dist/library/index.js");
const simulator = await createSimulator();
const took = performance.now() - began;
process.on("SIGTERM", () => simulator.close());
console.log(`took ${took} ms, ready at ${simulator.url}`);
