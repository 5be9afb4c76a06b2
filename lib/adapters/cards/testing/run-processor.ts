import { startEmbeddedProcessor } from "@/lib/sandbox/card-processor/start-embedded-processor.ts";

// Runs as a separate process that a test can kill: `run-processor.ts <folder>` prints its address.
const [, , dataDir = ""] = process.argv;
const { apiBase, secretKey } = await startEmbeddedProcessor({ dataDir });
process.stdout.write(`${JSON.stringify({ apiBase, secretKey })}\n`);
