import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { expect, inject, test } from "vitest";
import { createTestDatabase } from "@/lib/adapters/db/testing/stores.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { runCheck } from "./check.ts";
import { optionalChecks } from "./optional-checks.ts";
import { preflight } from "./preflight.ts";

const server = inject("postgresUrl");

const checkMail = (url: string) =>
  Promise.all(
    optionalChecks({
      databaseUrl: undefined,
      databaseReplicaUrl: undefined,
      smtp: { url, from: "a@pay.example" },
    }).map(runCheck),
  );
const checkReplica = (databaseReplicaUrl: string, databaseUrl = databaseReplicaUrl) =>
  Promise.all(optionalChecks({ databaseUrl, databaseReplicaUrl, smtp: undefined }).map(runCheck));

test("parts that are not set are not checked", () => {
  const unset = { databaseUrl: undefined, databaseReplicaUrl: undefined, smtp: undefined };
  expect(optionalChecks(unset)).toEqual([]);
});

test("a mail server that refuses the login, or is away, is named without the password", async () => {
  const smtp = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ password }, _, done) =>
      password === "right" ? done(null, { user: "u" }) : done(new Error("Wrong password")),
  });
  smtp.on("error", () => {});
  const listening = smtp.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  expect(await checkMail(`smtp://u:right@127.0.0.1:${port}`)).toMatchObject([
    { name: "mail server", ok: true, found: "accepts this login" },
  ]);
  const refused = await checkMail(`smtp://u:pass-word@127.0.0.1:${port}`);
  expect(refused).toMatchObject([
    { ok: false, cause: expect.stringContaining("Wrong password"), remedy: expect.any(String) },
  ]);
  expect(JSON.stringify(refused)).not.toContain("pass-word");
  await new Promise<void>((closed) => smtp.close(() => closed()));
  expect(await checkMail(`smtp://u:right@127.0.0.1:${port}`)).toMatchObject([
    { ok: false, cause: expect.stringContaining("ECONNREFUSED") },
  ]);
});

test("a replica that is away is named by its setting", async () => {
  const away = `postgres://turnpike:pass-word@127.0.0.1:${await freePort()}/turnpike`;
  const checked = await checkReplica(away);
  expect(checked).toMatchObject([
    {
      name: "database replica",
      ok: false,
      cause: "Postgres does not answer: ECONNREFUSED.",
      remedy: expect.stringContaining("DATABASE_REPLICA_URL"),
    },
  ]);
  expect(JSON.stringify(checked)).not.toContain("pass-word");
});

test.skipIf(!server)("a server that is no replica, or of another database, is named", async () => {
  expect(await checkReplica(server)).toMatchObject([
    { ok: false, cause: expect.stringContaining("is no replica") },
  ]);
  expect(await checkReplica(server, await createTestDatabase(server))).toMatchObject([
    {
      ok: false,
      cause: "DATABASE_REPLICA_URL names another database than DATABASE_URL.",
      remedy: expect.stringContaining("Set it to the same database"),
    },
  ]);
});

test("preflight is not ready while a mail server or a replica that is set is away", async () => {
  const away = `127.0.0.1:${await freePort()}`;
  const { checks } = await preflight({
    source: {
      TURNPIKE_ENVIRONMENT: "live",
      PAYMENT_RAILS: "cards",
      TURNPIKE_SECRET_KEY: randomBytes(32).toString("hex"),
      TURNPIKE_ORIGIN: `https://${away}`,
      DATABASE_URL: `postgres://${away}/turnpike`,
      DATABASE_REPLICA_URL: `postgres://${away}/turnpike`,
      STRIPE_SECRET_KEY: "sk_live_1",
      STRIPE_PUBLISHABLE_KEY: "pk_live_1",
      STRIPE_WEBHOOK_SECRET: "whsec_1",
      STRIPE_API_BASE: `http://${away}`,
      TURNPIKE_SMTP_URL: `smtp://${away}`,
      TURNPIKE_MAIL_FROM: "a@pay.example",
    },
    withoutCall: true,
  });
  const failed = checks.flatMap(({ name, ok }) => (ok ? [] : [name]));
  expect(failed).toEqual(expect.arrayContaining(["database replica", "mail server"]));
});
