import { describe, expect, test } from "vitest";
import { framePolicy } from "../proxy.ts";

const connects = (origin: string) => /connect-src ([^;]*);/.exec(framePolicy(origin))?.[1];

describe("the policy of the playground's frame", () => {
  test.each([
    "https://agent.example",
    "https://agent.example:8443",
    "http://localhost:3001",
    "http://127.0.0.1:3001",
    "http://[::1]:3001",
  ])("allows requests to %s, and no script, content or other frame", (origin) => {
    expect(framePolicy(origin)).toBe(
      `default-src 'none'; connect-src ${origin}; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`,
    );
  });

  test.each([
    "",
    "*",
    "https:",
    "https://*",
    "https://*.example",
    "https://agent.example/path",
    "https://agent.example;script-src",
    "https://agent.example; script-src 'unsafe-inline'",
    "https://agent.example https://evil.example",
    "https://agent.example,https://evil.example",
    "https://user@agent.example",
    "https://agent.example:443",
    "'self'",
    "'unsafe-inline'",
    "data:",
    "ws://agent.example",
    "javascript:alert(1)",
    "https://agent.example\n",
    "HTTPS://AGENT.EXAMPLE",
  ])("T33: allows nothing for %j", (origin) => {
    expect(connects(origin)).toBe("'none'");
  });
});
