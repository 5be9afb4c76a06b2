import { decodeHeader, encodeAccessToken, encodeHeader } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import type { Exchange } from "./exchange.ts";
import { isSecretHeader } from "./redact.ts";
import { redactForShare, redactShared } from "./redact-for-share.ts";
import { idleStep, type Run, STEPS } from "./run.ts";

const TOKEN = encodeAccessToken({
  x402Version: 2,
  payload: {
    signature: `0x${"ab".repeat(65)}`,
    authorization: { from: "0x2222222222222222222222222222222222222222", planId: "1" },
    sessionKey: {
      address: "0x2222222222222222222222222222222222222222",
      permissions: ["burn"],
      limits: {},
    },
  },
  signature: `0x${"ab".repeat(65)}`,
} as never);
const SECRETS = {
  token: TOKEN,
  apiKey: "svc-sandbox:eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIweDEifQ.c2lnbmF0dXJl",
  foreignKey: "sk_live_51Habcdefghijklmnop",
  jwt: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.abcdefghijkl",
  cookie: "tasty-cookie-value-1",
  email: "ada.lovelace+x402@mail.example.org",
  basic: "Basic YWRhOnNlY3JldC1wYXNz",
  bearer: "Bearer opaque-bearer-value",
  password: "hunter2-hunter2",
  userinfo: "ada:pa55word",
};

function plant(text: string): Exchange {
  const { token, apiKey, cookie, email, basic, userinfo, password } = SECRETS;
  return {
    request: {
      method: "POST",
      url: `https://${userinfo}@agent.example/ask?api_key=${apiKey}&mail=${encodeURIComponent(email)}`,
      headers: [
        ["payment-signature", token],
        ["authorization", basic],
        ["cookie", cookie],
        ["x-note", `call me at ${email}`],
        ["x-forwarded-as", SECRETS.bearer],
      ],
      body: JSON.stringify({ password, text, to: email, login: `https://${userinfo}@x.example/` }),
    },
    answer: {
      status: 200,
      headers: [
        ["set-cookie", cookie],
        ["payment-required", encodeHeader({ x402Version: 2, note: `mail ${email}`, accepts: [] })],
      ],
      body: `echo ${token} ${apiKey} ${SECRETS.foreignKey} ${SECRETS.jwt} session=${cookie}; ${basic}`,
      bytes: 10,
      cut: null,
    },
    failure: null,
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1,
  };
}

function runWithSecrets(): Run {
  const exchange = plant(SECRETS.jwt);
  const { url, headers, body } = exchange.request;
  return {
    input: { method: "POST", url, headers, body, token: { kind: "paste", token: TOKEN } },
    startedAt: "2026-01-01T00:00:00.000Z",
    steps: STEPS.map(({ id }) => ({
      ...idleStep(id),
      outcome: "refused-again",
      values: { message: `no such user ${SECRETS.email}` },
      facts: [{ name: "payer", value: SECRETS.email, holds: null, note: TOKEN }],
      exchange,
    })),
    money: "refused",
    agentRequestId: "req_1",
    requirement: { x402Version: 2, resource: { url }, accepts: [], extensions: {} } as never,
    planId: "1",
    planName: `Plan of ${SECRETS.email}`,
    credits: null,
  };
}

describe("a shared run", () => {
  test("contains no planted secret in any encoding", () => {
    const { run, removed } = redactForShare(runWithSecrets());
    const text = JSON.stringify(run);
    for (const [name, secret] of Object.entries(SECRETS)) {
      for (const spelling of [
        secret,
        encodeURIComponent(secret),
        JSON.stringify(secret).slice(1, -1),
      ]) {
        expect(text.includes(spelling), name).toBe(false);
      }
    }
    expect(text).not.toContain("lovelace");
    expect(text).not.toContain("pa55word");
    const header = run.steps[0]?.exchange?.answer?.headers.find(
      ([key]) => key === "payment-required",
    );
    expect(JSON.stringify(decodeHeader(header?.[1] ?? ""))).not.toContain("lovelace");
    const kinds = removed.map(({ what }) => what);
    for (const what of ["payment-signature", "authorization", "cookie", "email", "access token"]) {
      expect(kinds).toContain(what);
    }
  });

  test("does not have the secrets in an address's fragment, where sign-ins leave them", () => {
    const plain = runWithSecrets();
    const url = `https://app.example/back#access_token=${SECRETS.password}&page=2`;
    const location = ["location", `${url}&id_token=x`] as [string, string];
    const steps = plain.steps.map(({ exchange, ...step }) => ({
      ...step,
      exchange: exchange?.answer
        ? { ...exchange, answer: { ...exchange.answer, headers: [location] } }
        : null,
    }));
    const { run } = redactForShare({ ...plain, input: { ...plain.input, url }, steps });
    expect(JSON.stringify(run)).not.toContain(SECRETS.password);
    expect(run.input.url).toContain("page=2");
  });

  test.each([
    "ocp-apim-subscription-key",
    "x-functions-key",
    "x-auth-key",
    "x-access-key",
    "x-auth",
    "x-session-id",
    "x-amz-credential",
    "proxy-authorization",
    "key",
  ])("leaves out the value of %s", (name) => {
    expect(isSecretHeader(name)).toBe(true);
  });

  test.each(["x-author", "www-authenticate", "access-control-allow-credentials", "x-keyboard"])(
    "keeps the value of %s",
    (name) => {
      expect(isSecretHeader(name)).toBe(false);
    },
  );

  test("does not change when redacted again", () => {
    const { run } = redactForShare(runWithSecrets());
    expect(redactShared(run).run).toEqual(run);
  });

  test("keeps offers, ids, addresses and amounts", () => {
    const offer = encodeHeader({
      x402Version: 2,
      accepts: [{ scheme: "svc:erc4337", planId: "1" }],
    });
    const exchange = plant("");
    const plain: Run = {
      ...runWithSecrets(),
      planName: "Starter",
      input: {
        method: "GET",
        url: "https://agent.example/ask?page=2",
        headers: [["accept", "application/json"]],
        body: null,
        token: { kind: "mint", delegationId: "del_1" },
      },
      requirement: null,
      steps: STEPS.map(({ id }) => ({
        ...idleStep(id),
        values: { token: "A token was minted for this agent.", balance: "97 credits" },
        exchange: {
          ...exchange,
          request: {
            method: "GET",
            url: "https://agent.example/ask?page=2",
            headers: [],
            body: null,
          },
          answer: {
            status: 402,
            headers: [["payment-required", offer]],
            body: '{"error":"Payment Required","code":"token_missing"}',
            bytes: 50,
            cut: null,
          },
        },
      })),
    };
    const { run, removed } = redactForShare(plain);
    expect(removed).toEqual([]);
    const { token: _, ...input } = plain.input;
    expect(run).toEqual({ ...plain, input });
  });
});
