import "server-only";
import { createSmtp } from "@/lib/adapters/mail/smtp.ts";
import type { Sandbox } from "@/lib/sandbox/open-sandbox.ts";
import type { Env } from "./env.ts";

/** The mail server that is set, or the sandbox's own, which keeps what it gets; none in live without a setting. */
export async function openMail(
  env: Env,
  sandbox: Sandbox | undefined,
  closers: (() => Promise<unknown>)[],
) {
  const mailbox = env.smtp ? undefined : await sandbox?.startMailbox();
  const settings = env.smtp ?? (mailbox && { url: mailbox.smtpUrl, from: mailbox.from });
  if (!settings) return undefined;
  const { sendMail, close } = createSmtp(settings);
  closers.push(async () => {
    close();
    await mailbox?.stop();
  });
  return { sendMail, mailbox, url: settings.url };
}
