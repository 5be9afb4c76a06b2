import "./check-port.mjs";
import { spawn } from "node:child_process";

// FastAPI and uvicorn come from pip: pip install fastapi uvicorn
const args = ["-m", "uvicorn", "main:app", "--port", process.env.PORT];
const agent = spawn(process.env.PYTHON ?? "python3", args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => agent.kill(signal));
agent.on("error", ({ message }) => {
  console.error(message);
  process.exit(1);
});
agent.on("exit", (code) => process.exit(code ?? 1));
