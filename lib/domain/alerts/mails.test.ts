import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createSmtp } from "@/lib/adapters/mail/smtp.ts";
import { startMailbox } from "@/lib/sandbox/mailbox.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { createBudgetMarket } from "../budgets/testing/budget-market.ts";
import { MAIL_RETRY_SECS, sendMails } from "./send-mails.ts";

const CROWD = inFull(300, 30);
const FROM = "Turnpike <no-reply@turnpike.test>";

type Got = { to: string; subject: string; text: string; messageId: string };
/** What a mail server does with a mail: takes it, refuses it, or takes it and breaks off before it says so. */
type Mood = "accepts" | "refuses" | "breaks off";

async function mailServer() {
  const got: Got[] = [];
  const made = { got, mood: "accepts" as Mood, refused: 0 };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    onRcptTo(_address, _session, done) {
      if (made.mood !== "refuses") return done();
      made.refused += 1;
      return done(Object.assign(new Error("Mailbox unavailable"), { responseCode: 450 }));
    },
    async onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const {
        subject = "",
        text = "",
        messageId = "",
      } = await PostalMime.parse(Buffer.concat(chunks));
      got.push({ to: envelope.rcptTo[0]?.address ?? "", subject, text, messageId });
      if (made.mood === "breaks off") {
        for (const connection of server.connections) connection.close();
        return;
      }
      done();
    },
  });
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  await new Promise((started) => listening.once("listening", started));
  const { port } = listening.address() as AddressInfo;
  const smtp = createSmtp({ url: `smtp://127.0.0.1:${port}`, from: FROM });
  const stop = async () => {
    smtp.close();
    await new Promise<void>((closed) => server.close(() => closed()));
  };
  return Object.assign(made, { sendMail: smtp.sendMail, stop });
}

describe.each(ruleStores())("mail on $name", { timeout: inFull(240_000, 30_000) }, ({ open }) => {
  let database: Database;
  let service: TestService;
  /** A replica whose newest root key is another one. */
  let nextService: TestService;
  const logged: string[] = [];
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    database = await open();
    const note = (fields: object, message: string) => {
      logged.push(`${message} ${JSON.stringify(fields)}`);
    };
    const log = { info: note, warn: note, error: note };
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    service = createTestService(database, { log, secretKey: older, olderKeys: [newer] });
    nextService = createTestService(database, { log, secretKey: newer, olderKeys: [older] });
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  async function receiver() {
    const server = await mailServer();
    stops.push(server.stop);
    return server;
  }
  type Server = Awaited<ReturnType<typeof receiver>>;
  const send = ({ sendMail }: Pick<Server, "sendMail">, { ports } = service) =>
    sendMails(ports, sendMail);
  const linkOf = (mail: Got | undefined) =>
    new URL(/https?:\/\/\S+/.exec(mail?.text ?? "")?.[0] ?? "");
  const secretOf = (mail: Got | undefined) => linkOf(mail).hash.slice(1);
  const to = (server: Server, address: string) => server.got.filter((mail) => mail.to === address);

  async function confirmed(server: Server, party: TestParty): Promise<string> {
    const address = `${freshId()}@mail.example`;
    await party.email.setEmailAddress({ address });
    await send(server);
    await party.email.confirmEmailAddress(secretOf(to(server, address).at(-1)));
    return address;
  }
  /** An alert of the party that asks for a mail. */
  const openAlert = ({ address }: TestParty, name = "Starter") =>
    database.query(
      `insert into alerts (alert_id, account, rule_id, kind, object, measure, name, value, threshold, email, webhook, created_at)
       values ($2, $1, $2, 'credits-below', '7', '', $3, '19', 20, true, false, app_now())`,
      [address, freshId(), name],
    );

  test("an address counts once its link was followed, which works once and for its own account", async () => {
    const server = await receiver();
    const [party, stranger] = await Promise.all([service.party(), service.party()]);
    const address = `${freshId()}@mail.example`;
    expect(await party.email.setEmailAddress({ address })).toMatchObject({ unconfirmed: address });
    await openAlert(party);
    await send(server);
    expect(to(server, address)).toHaveLength(1);
    const secret = secretOf(to(server, address)[0]);
    const { email } = stranger;
    await expect(email.confirmEmailAddress(secret)).rejects.toMatchObject({ code: "conflict" });
    const uses = await Promise.allSettled(
      Array.from({ length: CROWD }, () => party.email.confirmEmailAddress(secret)),
    );
    expect(uses.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await party.email.getEmailAddress()).toMatchObject({ address, isAvailable: true });
    const rows = await database.query(
      "select e::text || m::text as row from email_addresses e join mails m using (account) where account = $1",
      [party.address],
    );
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(logged.join("\n")).not.toContain(secret);
  });

  test("a mailbox gets five links within an hour, however many accounts ask and however they write its address", async () => {
    const server = await receiver();
    const name = freshId();
    const parties = await Promise.all(Array.from({ length: 8 }, () => service.party()));
    const asked = await Promise.allSettled(
      parties.map(({ email }, index) =>
        email.setEmailAddress({
          address:
            index % 2 ? `${name}@mail.example` : `${name.toUpperCase()}+${index}@Mail.Example`,
        }),
      ),
    );
    const refused = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused).toHaveLength(3);
    for (const reason of refused) {
      expect(reason).toMatchObject({ code: "rate_limited", retryAfterSecs: 3_600 });
    }
    await send(server);
    expect(
      server.got.filter(({ to }) => to.toLowerCase().startsWith(name.toLowerCase())),
    ).toHaveLength(5);
    const [first] = parties;
    expect(
      await first?.email.setEmailAddress({ address: `${freshId()}@mail.example` }),
    ).toHaveProperty("unconfirmed");
  });

  test("one account that asks for links to a mailbox leaves some for its owner", async () => {
    const server = await receiver();
    const [stranger, owner] = await Promise.all([service.party(), service.party()]);
    const address = `${freshId()}@mail.example`;
    const asked = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        stranger.email.setEmailAddress({ address: address.replace("@", `+${index}@`) }),
      ),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    await owner.email.setEmailAddress({ address });
    await send(server);
    const mail = to(server, address).at(-1);
    expect(await owner.email.confirmEmailAddress(secretOf(mail))).toMatchObject({ address });
    await service.ports.clock.advance(3_601);
    expect(await stranger.email.setEmailAddress({ address })).toMatchObject({
      unconfirmed: address,
    });
  });

  test("a link expires after a day, a newer one replaces it, and the old address hears of a change", async () => {
    const server = await receiver();
    const party = await service.party();
    const first = await confirmed(server, party);
    const second = `${freshId()}@mail.example`;
    await party.email.setEmailAddress({ address: second });
    await send(server);
    await party.email.setEmailAddress({ address: second });
    await send(server);
    const [old, now] = to(server, second).map(secretOf);
    const stale = party.email.confirmEmailAddress(old ?? "");
    await expect(stale).rejects.toMatchObject({ code: "conflict" });
    await database.query(
      "update email_addresses set secret_until = app_now() - interval '1 second' where account = $1",
      [party.address],
    );
    const late = party.email.confirmEmailAddress(now ?? "");
    await expect(late).rejects.toMatchObject({ code: "conflict" });
    expect(await party.email.getEmailAddress()).toMatchObject({ address: first });
    // An account gets two links to a mailbox within an hour.
    await service.ports.clock.advance(3_601);
    await party.email.setEmailAddress({ address: second });
    await send(server);
    await party.email.confirmEmailAddress(secretOf(to(server, second).at(-1)));
    await send(server);
    expect(to(server, first).at(-1)?.subject).toBe("Your email address was changed");
  });

  test("an address hears of its removal, so that removing it first hides no change of it", async () => {
    const server = await receiver();
    const party = await service.party();
    const first = await confirmed(server, party);
    await openAlert(party);
    await party.email.removeEmailAddress({});
    expect(await party.email.getEmailAddress()).not.toHaveProperty("address");
    const second = await confirmed(server, party);
    await send(server);
    expect(to(server, first).map(({ subject }) => subject)).toEqual([
      "Confirm your email address",
      "Your email address was changed",
    ]);
    expect(to(server, first).at(-1)?.text).toContain("/settings/audit");
    // The second address is told of its removal too, once however often it is removed.
    await party.email.removeEmailAddress({});
    await party.email.removeEmailAddress({});
    await send(server);
    expect(to(server, second).map(({ subject }) => subject)).toEqual([
      "Confirm your email address",
      "Your email address was changed",
    ]);
  });

  test("the log has no mailbox, however the server spells it, and no long answer", async () => {
    const party = await service.party();
    await party.email.setEmailAddress({ address: `Some.One.${freshId()}@mail.example` });
    const since = logged.length;
    await sendMails(service.ports, async ({ to: mailbox }) => {
      throw new Error(`550 <${mailbox.toLowerCase()}>: unknown\r\n${"later ".repeat(1_000)}`);
    });
    const line = logged.slice(since).join();
    expect(line).toContain("unknown");
    expect(line.toLowerCase()).not.toContain("@mail.example");
    expect(line.length).toBeLessThan(800);
    await database.query("update mails set state = 'dropped' where state = 'waiting'", []);
  });

  test("a server that refuses loses nothing: the account is told, and each mail arrives once when it accepts", async () => {
    const server = await receiver();
    const party = await service.party();
    const address = await confirmed(server, party);
    server.mood = "refuses";
    await openAlert(party, "Tariff\r\nBcc: all@mail.example lookup");
    for (const seconds of [0, ...MAIL_RETRY_SECS.slice(0, 4)]) {
      await service.ports.clock.advance(seconds + 1);
      await send(server);
    }
    expect(server.refused).toBe(5);
    const refusals = logged.filter((line) => line.includes("Mailbox unavailable"));
    expect(refusals).toHaveLength(5);
    expect(refusals.join()).not.toContain(address);
    expect(await service.ports.mails.countRefused()).toBe(1);
    expect(await party.email.getEmailAddress()).toMatchObject({
      waiting: 1,
      lastError: expect.stringContaining("Mailbox unavailable"),
    });
    await database.query("select wake_alerts($1)", [party.address]);
    await service.ports.alerts.run(100, [
      { ruleId: "built-in", kind: "email-failing", threshold: 3, email: false },
    ]);
    const { items } = await party.payments.alerts.listAlerts({ status: "open" });
    expect(items.map(({ kind }) => kind)).toContain("email-failing");
    server.mood = "accepts";
    await service.ports.clock.advance(100_000);
    for (let round = 0; round < 3; round += 1) await send(server);
    const alerts = to(server, address).filter(({ subject }) =>
      subject.includes("fell to 19 credits"),
    );
    expect(alerts).toMatchObject([
      { subject: "Tariff Bcc: all@mail.example lookup fell to 19 credits" },
    ]);
    expect(await party.email.getEmailAddress()).toMatchObject({ waiting: 0 });
  });

  test("mails that wait go to the address that replaces theirs", async () => {
    const server = await receiver();
    const party = await service.party();
    const old = await confirmed(server, party);
    await openAlert(party);
    server.mood = "refuses";
    await send(server);
    expect(server.refused).toBe(1);
    server.mood = "accepts";
    const address = await confirmed(server, party);
    await send(server);
    expect(to(server, address).at(-1)?.subject).toContain("Starter");
    expect(to(server, old).map(({ subject }) => subject)).not.toContain(
      to(server, address).at(-1)?.subject,
    );
    expect((await party.email.getEmailAddress()).lastError).toBeUndefined();
  });

  test("what a server never accepts is given up after three days, and the alert stays in the app", async () => {
    const server = await receiver();
    const party = await service.party();
    await confirmed(server, party);
    server.mood = "refuses";
    await openAlert(party);
    for (const seconds of [0, ...MAIL_RETRY_SECS, 1_000_000]) {
      await service.ports.clock.advance(seconds + 1);
      await send(server);
    }
    expect(MAIL_RETRY_SECS.reduce((sum, seconds) => sum + seconds)).toBeGreaterThan(2.9 * 86_400);
    expect(server.refused).toBe(MAIL_RETRY_SECS.length + 1);
    const { items } = await party.payments.alerts.listAlerts({ status: "open" });
    expect(items).toMatchObject([{ email: "failed" }]);
  });

  test("many replicas send a mail once; one whose acceptance got lost comes again under the same id", async () => {
    const server = await receiver();
    const party = await service.party();
    const address = await confirmed(server, party);
    const before = to(server, address).length;
    await Promise.all(Array.from({ length: CROWD }, () => openAlert(party)));
    while ((await Promise.all([send(server), send(server), send(server)])).some((n) => n > 0));
    const ids = to(server, address).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(before + CROWD);
    expect(new Set(ids).size).toBe(before + CROWD);
    server.mood = "breaks off";
    await openAlert(party);
    await send(server);
    server.mood = "accepts";
    await service.ports.clock.advance(60);
    await send(server);
    const [, ...twice] = to(server, address).slice(before + CROWD - 1);
    expect(new Set(twice.map(({ messageId }) => messageId)).size).toBe(1);
  });

  async function waiting(server: Server, url?: string, sender = service) {
    const { market, calls } = await createBudgetMarket(service);
    const { subscriber, builder } = market;
    const address = await confirmed(server, subscriber);
    const { budgets } = subscriber.payments;
    await budgets.setBudgets({ approval: { above: 50n } });
    const endpoints = [{ POST: market.endpoint }, { POST: "https://agent.example/:a/:b/:c" }];
    await builder.payments.agents.updateAgent(market.agentId, {
      agentApiAttributes: { endpoints },
    });
    const requirement = { ...requirementOf(market), ...(url && { resource: { url } }) };
    const { body } = await calls.verify({ agentRequestId: freshId(), reserve: true, requirement });
    const approvalId = "approval" in body ? (body.approval?.approvalId ?? "") : "";
    await send(server, sender);
    const mails = to(server, address).filter(({ subject }) => subject.startsWith("Approve "));
    return { budgets, approvalId, mails, secret: secretOf(mails[0]), subscriber, calls };
  }

  test("links work that a replica mails after the root key was changed", async () => {
    const server = await receiver();
    const party = await service.party();
    const address = `${freshId()}@mail.example`;
    await party.email.setEmailAddress({ address });
    await send(server, nextService);
    await party.email.confirmEmailAddress(secretOf(to(server, address)[0]));
    const { budgets, approvalId, secret } = await waiting(server, undefined, nextService);
    await budgets.approveRequest(approvalId, { secret });
  });

  test("a request that waits is mailed once, with a link that decides nothing until a button is pressed", async () => {
    const server = await receiver();
    const { mails, approvalId, secret, budgets, subscriber, calls } = await waiting(server);
    expect(mails).toMatchObject([{ subject: "Approve 1.00 USDC and 10 credits for Starter?" }]);
    expect(linkOf(mails[0]).pathname).toBe(`/approvals/${approvalId}`);
    expect(linkOf(mails[0]).search).toBe("");
    await calls.verify({ agentRequestId: freshId(), reserve: true });
    await send(server);
    expect(server.got.filter(({ text }) => text.includes(approvalId))).toHaveLength(1);
    expect(await budgets.getApproval(approvalId)).toMatchObject({ status: "pending" });
    const rows = await database.query(
      "select a::text || m::text as row from approvals a join mails m on m.ref = a.approval_id where a.account = $1",
      [subscriber.address],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(logged.join("\n")).not.toContain(secret);
  });

  test("a seller writes no lines and no links into the mail that asks for an approval", async () => {
    const server = await receiver();
    const url =
      "/a\n\nYour\u00a0account\u00a0is\u00a0locked.\u00a0Sign\u00a0in:\n\nhttps://evil.example/login";
    const { mails, budgets, approvalId } = await waiting(server, url);
    const [mail] = mails;
    expect(mail?.text.trim().split(/\s*\n\s*/)).toHaveLength(4);
    expect(mail?.text).not.toMatch(/\u00a0|account is locked|https:\/\/evil/);
    expect(linkOf(mail).pathname).toBe(`/approvals/${approvalId}`);
    const { call } = await budgets.getApproval(approvalId);
    expect(call).toMatch(/^POST \/a%0A%0AYour%C2%A0account[^\s]*$/);
    expect(mail?.text).toContain(call);
  });

  test("by link twice, by link and page at once, and after expiry: one decision", async () => {
    const server = await receiver();
    for (let round = 0; round < inFull(50, 2); round += 1) {
      const { budgets, approvalId, secret } = await waiting(server);
      const answers = await Promise.allSettled([
        budgets.approveRequest(approvalId, { secret }),
        budgets.declineRequest(approvalId, { secret }),
        budgets.approveRequest(approvalId, { secret }),
        budgets.approveRequest(approvalId),
        budgets.declineRequest(approvalId),
      ]);
      expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const again = budgets.approveRequest(approvalId, { secret });
      await expect(again).rejects.toMatchObject({ code: "conflict" });
    }
    const { budgets, approvalId, secret } = await waiting(server);
    await service.ports.clock.advance(31 * 60);
    const late = budgets.approveRequest(approvalId, { secret });
    await expect(late).rejects.toMatchObject({ code: "conflict" });
    expect(await budgets.getApproval(approvalId)).toMatchObject({ status: "expired" });
  });

  test("an approval decided before its mail is sent is not mailed", async () => {
    const server = await receiver();
    const { market, calls } = await createBudgetMarket(service);
    const { subscriber } = market;
    const address = await confirmed(server, subscriber);
    const { budgets } = subscriber.payments;
    await budgets.setBudgets({ approval: { above: 50n } });
    const { body } = await calls.verify({ agentRequestId: freshId(), reserve: true });
    await budgets.declineRequest("approval" in body ? (body.approval?.approvalId ?? "") : "");
    await send(server);
    expect(to(server, address)).toHaveLength(1);
  });

  test("the sandbox's mailbox keeps mails over a restart, and those around a damaged line", async () => {
    const folder = await mkdtemp(join(tmpdir(), "turnpike-mailbox-"));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const mailbox = await startMailbox(folder);
    const smtp = createSmtp({ url: mailbox.smtpUrl, from: mailbox.from });
    const link = `http://service.test/approvals/${"a".repeat(90)}#secret`;
    const mail = { to: "ada@mail.example", subject: "Grüße", messageId: "<1@service.test>" };
    await smtp.sendMail({ ...mail, text: `Zwei Zeilen — hier:\n\n${link}\n` });
    const list = mailbox.list();
    expect(list).toMatchObject([{ ...mail, links: [link] }]);
    smtp.close();
    await mailbox.stop();
    const restarted = await startMailbox(folder);
    expect(restarted.list()).toEqual(list);
    await restarted.stop();
    const file = join(folder, "mails.jsonl");
    const [line] = (await readFile(file, "utf8")).split("\n");
    await writeFile(file, `${line}\n{"from": "cut\n{"from":1}\n${line}\n`);
    const damaged = await startMailbox(folder);
    stops.push(damaged.stop);
    expect(damaged.list()).toEqual([...list, ...list]);
    expect(await readFile(join(folder, "damaged.txt"), "utf8")).toBe('{"from": "cut\n');
  });
});
