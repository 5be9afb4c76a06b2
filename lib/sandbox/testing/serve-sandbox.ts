import { bootService } from "@/lib/server/boot.ts";
import { readEnv } from "@/lib/server/env.ts";
import { closeServer, createHttpServer, listen } from "@/lib/server/http/http-server.ts";
import { silentProgress } from "@/lib/server/progress.ts";
import { stopOnSignal } from "@/lib/server/stop-on-signal.ts";
import { sandboxFilePath, seedSandbox } from "../sandbox.ts";
import { writeSandboxFile } from "../sandbox-file.ts";

// The sandbox in its own process, without pages and without the demo agent, to be killed apart from it.
const env = readEnv(process.env);
const booted = await bootService(env, silentProgress);
const server = createHttpServer(booted, null);
stopOnSignal(async () => {
  await closeServer(server, booted.events.stop);
  await booted.close();
});
await writeSandboxFile(sandboxFilePath(env.dataDir), await seedSandbox(booted));
await listen(server, env.port, env.host);
