// The floor of any HTTP service here: plain Hono that parses a JSON body and gives it back.
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono()
  .get("/api/v1/health", (c) => c.json({ ok: true }))
  .post("/echo", async (c) => c.json(await c.req.json()));

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT) });
process.on("SIGTERM", () => process.exit(0));
