import "./check-port.mjs";
import { spawnSync } from "node:child_process";

// Builds, which needs no key, and starts on the port in .env.
const next = (...args) => {
  const { status } = spawnSync("npx", ["next", ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};
next("build");
next("start", "-p", process.env.PORT);
