import { appendFileSync, mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { openJsonLines } from "@/lib/adapters/chain/bundler/json-lines.ts";
import { SandboxMail } from "./operations.ts";

const KEPT = 500;
const MAX_BYTES = 1024 * 1024;

/** A mail server that keeps what it gets instead of passing it on. */
export type Mailbox = Awaited<ReturnType<typeof startMailbox>>;

/**
 * Starts a mail server on a loopback port, so that the sandbox sends mail with the code that live uses. A mail is on disk
 * before it is accepted; the latest 500 survive a restart.
 *
 * @example const mailbox = await startMailbox(join(dataDir, "mail"));
 */
export async function startMailbox(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = openJsonLines(join(folder, "mails.jsonl"));
  // A line that a person or a crash damaged costs that mail, not the start; it is put aside.
  const asMail = (line: unknown) => SandboxMail.safeParse(line).data ?? [];
  const mails = lines
    .read((line) => appendFileSync(join(folder, "damaged.txt"), `${line}\n`, { mode: 0o600 }))
    .flatMap(asMail)
    .slice(-KEPT);
  lines.rewrite(mails);

  async function keep(raw: Buffer, to: string): Promise<void> {
    const { from, subject = "", text = "", messageId = "" } = await PostalMime.parse(raw);
    const mail: SandboxMail = {
      from: from?.address ?? "",
      to,
      subject,
      text,
      links: text.match(/https?:\/\/\S+/g) ?? [],
      messageId,
      receivedAt: new Date().toISOString(),
    };
    lines.append(mail);
    mails.push(mail);
    mails.splice(0, mails.length - KEPT);
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    size: MAX_BYTES,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const [recipient] = envelope.rcptTo;
        keep(Buffer.concat(chunks), recipient?.address ?? "").then(() => done(), done);
      });
    },
  });
  // A connection that breaks is the sender's to notice.
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  await new Promise<void>((started, failed) => {
    listening.once("listening", started);
    listening.once("error", failed);
  });
  const { port } = listening.address() as AddressInfo;
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    from: "Turnpike sandbox <no-reply@turnpike.test>",
    /** Newest first. */
    list: () => mails.toReversed(),
    async stop() {
      await new Promise<void>((closed) => server.close(() => closed()));
      lines.close();
    },
  };
}
