import { bootService } from "./boot.ts";
import { readEnv } from "./env.ts";
import { silentProgress } from "./progress.ts";

/** Boots the service in a process that Next started (`next start`), with the settings of its environment. */
export const bootAlone = () => bootService(readEnv(process.env), silentProgress);
