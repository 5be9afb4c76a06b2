// `npm start`: installs and builds if needed, then runs everything in this process.
import { ensureBuilt, ensureInstalled, ensureNode } from "./ensure.mjs";

const isDev = process.argv.includes("--dev");

ensureNode();
ensureInstalled();
process.env.NEXT_TELEMETRY_DISABLED = "1";
process.env.NODE_ENV = isDev ? "development" : "production";
if (!isDev) ensureBuilt();
await import("./typescript.mjs");
await import("../lib/server/main.ts");
