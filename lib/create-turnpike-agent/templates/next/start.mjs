import "./check-port.mjs";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

// Builds, which needs no key, and starts on the port in .env.
const path = createRequire(import.meta.url).resolve("next/dist/bin/next");
const next = (...args) => {
  const { status } = spawnSync(process.execPath, [path, ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};
next("build");
next("start", "-p", process.env.PORT);
