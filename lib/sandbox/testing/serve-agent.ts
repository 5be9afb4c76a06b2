import { join } from "node:path";
import { readEnv } from "@/lib/server/env.ts";
import { ownUrl } from "@/lib/server/own-url.ts";
import { stopOnSignal } from "@/lib/server/stop-on-signal.ts";
import { startDemoAgent } from "../demo-agent.ts";
import { readSandboxFile } from "../sandbox-file.ts";

// The demo agent with its gate in its own process, beside the sandbox of the data folder.
const env = readEnv(process.env);
const { dataDir, agentPort: port, host } = env;
const sandbox = await readSandboxFile(join(dataDir, "sandbox.json"));
stopOnSignal(await startDemoAgent(sandbox, { baseUrl: ownUrl(env), port, host, dataDir }));
