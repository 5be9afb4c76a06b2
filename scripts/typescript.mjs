// Lets plain Node run the repository's TypeScript: `node --import ./scripts/typescript.mjs file.ts`.
// The second tsconfig maps "server-only" to its empty half, since this process is the server.
import { fileURLToPath } from "node:url";
import { register } from "tsx/esm/api";

process.env.TSX_TSCONFIG_PATH ??= fileURLToPath(new URL("../tsconfig.node.json", import.meta.url));
register();
