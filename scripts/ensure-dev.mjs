// Before the commands of a developer: `npm start` alone installs no development packages.
import { ensureInstalled, ensureNode, ROOT } from "./ensure.mjs";

process.chdir(ROOT);
ensureNode();
await ensureInstalled({ forDevelopment: true });
