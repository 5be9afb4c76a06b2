// Loads .env. Its port wins over PORT of the shell: the agent is registered there.
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

process.loadEnvFile();
const { PORT } = parseEnv(readFileSync(".env", "utf8"));
if (PORT) process.env.PORT = PORT;
