/** Runs, but listens nowhere. */
console.log("ready");
process.on("SIGTERM", () => process.exit());
setInterval(() => {}, 1_000);
