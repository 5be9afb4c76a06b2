import { bootService } from "@/lib/server/boot.ts";
import { readEnv } from "@/lib/server/env.ts";
import { createHttpServer, listen } from "@/lib/server/http/http-server.ts";
import { silentProgress } from "@/lib/server/progress.ts";
import { armDeath } from "./card-deaths.ts";

// The real service, which kills itself at the step of one account's order that DIE_AT names.
const env = readEnv(process.env);
const booted = await bootService(env, silentProgress);
armDeath(booted.ports, process.env.DIE_AT ?? "");
await listen(createHttpServer(booted, null), env.port, env.host);
