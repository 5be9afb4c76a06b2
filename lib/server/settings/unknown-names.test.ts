import { expect, test } from "vitest";
import { findUnknownNames } from "./unknown-names.ts";

test.each([
  ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
  ["EVENT_KEPT_DAYS", "EVENTS_KEPT_DAYS"],
  ["PLATFORM_FEES_BPS", "PLATFORM_FEE_BPS"],
  ["TURNPIKE_SMTP", "TURNPIKE_SMTP_URL"],
  ["TURNPIKE_WORKER", "TURNPIKE_WORKERS"],
  ["STRIPE_SECRET", "STRIPE_SECRET_KEY"],
])("%s is told as unknown, with the setting it looks like: %s", (name, setting) => {
  expect(findUnknownNames({ [name]: "1" })).toEqual([
    `${name} is not a setting. Did you mean ${setting}?`,
  ]);
});

test("settings, and names of other programs and of the SDK, are not told", () => {
  const others = {
    PORT: "3000",
    TRUSTED_PROXIES: "1",
    PATH: "/usr/bin",
    HOME: "/root",
    HOSTNAME: "a",
    NODE_ENV: "production",
    TURNPIKE_API_KEY: "svc-live:key",
    TURNPIKE_URL: "https://pay.example",
    TURNPIKE_PLAN_ID: "42",
    TURNPIKE_AGENT_ID: "7",
    TURNPIKE_ACCESS_TOKEN: "x",
    TURNPIKE_SANDBOX_JSON: "sandbox.json",
    DOMAIN: "pay.example",
    POSTGRES_PASSWORD: "x",
    DATABASE_NAME: "turnpike",
    DATABASE_URL_UNPOOLED: "postgres://db",
    OTEL_SERVICE_NAME: "turnpike",
    OTEL_EXPORTER_OTLP_HEADERS: "a=b",
    STRIPE_API_KEY: "sk_live_1",
  };
  expect(findUnknownNames(others)).toEqual([]);
  expect(findUnknownNames({ TRUSTED_PROXY: " " })).toEqual([]);
});
