import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./lib/adapters/db/schema.ts",
  out: "./lib/adapters/db/migrations",
});
