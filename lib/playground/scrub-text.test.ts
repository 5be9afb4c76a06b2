import { describe, expect, test } from "vitest";
import { sampleRun } from "@/lib/console/shared-run.ts";
import { redactShared } from "./redact-for-share.ts";
import { type Found, scrubAll } from "./scrub-text.ts";

/** The text without its secrets, and what was found, within the bound. */
function scrub(text: string) {
  const found = new Set<Found>();
  const start = process.cpuUsage();
  const clean = scrubAll(text, (what) => found.add(what));
  // Of computing, so that a busy machine changes nothing.
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
  return { clean, found: [...found] };
}

describe("redacting a long text", () => {
  test.each([
    ["letters", "é"],
    ["letters of base64", "a"],
    ["names of domains", "@a.a"],
    ["an address that does not end", "a@a."],
    ["encoded characters", "%2E"],
    ["names of secrets", '"token'],
    ["names of secrets without quotes", "&token"],
    ["names of secrets in one word", "token"],
    ["blanks after a name", '"token"  '],
    ["logins of URLs", "://a"],
    ["logins of URLs with a colon", "://a:"],
    ["colons after a login", ":"],
    ["starts of private keys", "-----BEGIN PRIVATE KEY-----"],
    ["starts of private keys that do not end", "-----BEGIN "],
    ["keys of this service that do not end", "svc-live:"],
    ["hyphens", "ab-"],
    ["JWTs that do not end", "eyJaaaaaa."],
    ["Bearer and blanks", "Bearer   "],
    ["backslashes", '"token":"\\\\'],
    ["signatures", '"signature":'],
  ])("takes no longer than its length for %s", (_, part) => {
    scrub(part.repeat(Math.ceil(100_000 / part.length)));
    scrub(`://${part.repeat(Math.ceil(100_000 / part.length))}`);
  });

  test.each([
    ["many names of secrets", Array.from({ length: 10_000 }, (_, n) => `key${n}_key=a`).join("&")],
    ["a long name with a line break", `${"token".repeat(18_000)}%0A=a`],
  ])("takes no longer for a URL with %s", (_, query) => {
    const url = `https://agent.example/?${query}`;
    const start = process.cpuUsage();
    const { run } = redactShared({ ...sampleRun, input: { ...sampleRun.input, url } });
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
    expect(run.input.url).not.toMatch(/=a\b/);
  });

  test("takes no longer for a URL with as many schemes as fit", () => {
    scrub(":%2F%2F".repeat(200_000));
    scrub("://a".repeat(200_000));
  });

  test("takes no longer for base64 of such a text", () => {
    scrub(btoa('"signature":'.repeat(6_000)));
    scrub(btoa(`${'"sessionKey":'.repeat(6_000)}`));
  });

  test.each([
    ["email", `${"x".repeat(50_000)} ada@mail.example.org`, "ada@"],
    ["email", "write to ada%2Blovelace%40mail.example.org", "lovelace"],
    ["secret", `${"x".repeat(50_000)} "my_api_key_of_x": "hunter2"`, "hunter2"],
    ["secret", "?a=1&user.session-token-id=hunter2", "hunter2"],
    ["login", "https://ada:hunter2@x.example/", "hunter2"],
    ["login", `https://ada:${"p".repeat(1_000)}@x.example/`, "pppp"],
    ["login", "https://ada:a:%2F%2Fhunter2@x.example/", "hunter2"],
    ["login", "?to=https:%2F%2Fada%3Ahunter2%40x.example", "hunter2"],
    ["login", "https://a.example?next=https://ada:hunter2@x.example", "hunter2"],
    ["login", "https://a.example?next=https:%2F%2Fada:hunter2@x.example", "hunter2"],
    ["login", "https://a.example,https://ada:hunter2@x.example", "hunter2"],
    ["login", "https://a.example;https://ada:hunter2@x.example", "hunter2"],
    ["login", "https://a.example|https://ada:hunter2@x.example", "hunter2"],
    ["login", "https://https://ada:hunter2@x.example", "hunter2"],
  ])("still removes %s", (what, text, secret) => {
    const { clean, found } = scrub(text);
    expect(found).toContain(what);
    expect(clean).not.toContain(secret);
  });
});
