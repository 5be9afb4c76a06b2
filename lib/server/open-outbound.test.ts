import { expect, test } from "vitest";
import { loopbackPolicy } from "./open-outbound.ts";

const SANDBOX = {
  environment: "sandbox",
  host: "127.0.0.1",
  outboundLoopbackPorts: undefined,
  databaseUrl: undefined,
  origin: "http://localhost:3000",
  trustedProxies: 0,
  metrics: undefined,
} as const;
const PARTS = {
  rpcUrl: "http://127.0.0.1:8545",
  cardsUrl: "http://127.0.0.1:9100",
  smtpUrl: "smtp://127.0.0.1:2525",
};

test("a private sandbox calls every port but those of its parts", () => {
  const databaseUrl = "postgres://me@localhost/turnpike";
  const metrics = { port: 9464, host: "127.0.0.1" };
  expect(loopbackPolicy({ ...SANDBOX, databaseUrl, metrics }, PARTS)).toEqual({
    allows: "all",
    except: new Set([8545, 9100, 2525, 5432, 9464]),
  });
});

test("live calls nothing on its machine, whatever the settings say", () => {
  const live = { ...SANDBOX, environment: "live" as const, outboundLoopbackPorts: [3402] };
  expect(loopbackPolicy(live, PARTS)).toEqual({ allows: "nothing" });
});

test.each(["0.0.0.0", "10.0.0.4", "::", "sandbox.example"])(
  "a sandbox that others reach at %s calls no port that was not named",
  (host) => {
    expect(loopbackPolicy({ ...SANDBOX, host }, PARTS)).toEqual({ allows: "nothing" });
  },
);

test.each([{ origin: "https://sandbox.example" }, { trustedProxies: 1 }])(
  "a sandbox behind a proxy of its machine, by %j, calls no port that was not named",
  (more) => {
    expect(loopbackPolicy({ ...SANDBOX, ...more }, PARTS)).toEqual({ allows: "nothing" });
    const named = { ...SANDBOX, ...more, outboundLoopbackPorts: [3402] };
    expect(loopbackPolicy(named, PARTS)).toEqual({ allows: "ports", ports: new Set([3402]) });
  },
);

test("ports that were named are called, unless they are a part's", () => {
  const named = { ...SANDBOX, host: "0.0.0.0", outboundLoopbackPorts: [3402, 8545] };
  expect(loopbackPolicy(named, PARTS)).toEqual({ allows: "ports", ports: new Set([3402]) });
});
