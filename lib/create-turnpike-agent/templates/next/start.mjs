import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

// Builds once, without a key, and starts on the port in .env.
const next = (...args) => {
  const { status } = spawnSync("npx", ["next", ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};
process.loadEnvFile();
if (!existsSync(".next/BUILD_ID")) next("build");
next("start", "-p", process.env.PORT);
