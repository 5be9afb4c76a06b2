import { join } from "node:path";
import { readEnv } from "@/lib/server/env.ts";
import { stopOnSignal } from "@/lib/server/stop-on-signal.ts";
import { startDemoAgent } from "../demo-agent.ts";
import { readSandboxFile } from "../sandbox-file.ts";

// The demo agent with its gate in its own process, beside the sandbox of the data folder.
const { dataDir, agentPort: port, host } = readEnv(process.env);
const sandbox = await readSandboxFile(join(dataDir, "sandbox.json"));
stopOnSignal(await startDemoAgent(sandbox, { port, host, dataDir }));
