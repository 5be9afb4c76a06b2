// `npm run build`: what `npm start` builds.
import { ensureBuilt, ensureInstalled, ensureNode, ROOT } from "./ensure.mjs";

process.chdir(ROOT);
ensureNode();
await ensureInstalled();
await ensureBuilt();
