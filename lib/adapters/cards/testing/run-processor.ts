import { startEmbeddedProcessor } from "@/lib/sandbox/card-processor/start-embedded-processor.ts";

// A process of its own, so that a test can kill it: `run-processor.ts <folder>` prints where it listens.
const [, , dataDir = ""] = process.argv;
const { apiBase, secretKey } = await startEmbeddedProcessor({ dataDir });
process.stdout.write(`${JSON.stringify({ apiBase, secretKey })}\n`);
