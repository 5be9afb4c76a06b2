import { spawn } from "node:child_process";

// FastAPI and uvicorn come from pip: pip install fastapi uvicorn
const args = ["-m", "uvicorn", "main:app", "--port", process.env.PORT];
spawn(process.env.PYTHON ?? "python3", args, { stdio: "inherit" });
