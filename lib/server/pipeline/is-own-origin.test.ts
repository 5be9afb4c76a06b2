import { expect, test } from "vitest";
import { isOwnOrigin } from "./is-own-origin.ts";

const CONFIGURED = "http://localhost:3000";

test.each([
  ["the configured origin", "http://localhost:3000", "localhost:3000", true],
  ["the configured origin behind a proxy", "http://localhost:3000", "10.0.0.7:8080", true],
  ["another name of this machine", "http://127.0.0.1:3000", "127.0.0.1:3000", true],
  ["another port of this machine", "http://127.0.0.1:5173", "127.0.0.1:3000", false],
  ["another scheme on this machine", "https://127.0.0.1:3000", "127.0.0.1:3000", false],
  [
    "a foreign name pointed at this machine",
    "http://evil.example:3000",
    "evil.example:3000",
    false,
  ],
  ["a foreign page", "https://evil.example", "localhost:3000", false],
  ["a page without an origin", "null", "localhost:3000", false],
  ["a caller that names none", undefined, "localhost:3000", false],
])("%s", (_, origin, host, isOwn) => {
  const headers = new Headers({ host, ...(origin && { origin }) });
  expect(isOwnOrigin(headers, CONFIGURED)).toBe(isOwn);
});
