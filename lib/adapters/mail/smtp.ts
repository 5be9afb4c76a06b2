import { createTransport } from "nodemailer";
import type { SendMail } from "@/lib/domain/alerts/alert-ports.ts";

const CONNECT_MS = 10_000;
const SILENT_MS = 20_000;
/** All of one mail, from its place in the queue on. Shorter than the lease under which mails are sent. */
const MAIL_MS = 60_000;
const AT_ONCE = 5;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The way to a mail server. A mail is sent once the server accepted it; anything else throws with the server's words.
 * Over `smtp://`, a server that is not on this machine must offer STARTTLS, unless the address says `?requireTLS=false`.
 *
 * @param settings url: `smtp://` or `smtps://`, with user and password where the server asks for them.
 * @example const { sendMail } = createSmtp({ url: "smtps://user:pass@smtp.example.com", from: "Turnpike <no-reply@example.com>" });
 */
export function createSmtp({ url, from }: { url: string; from: string }): {
  sendMail: SendMail;
  /** Connects and logs in, and sends nothing. Throws what the server or the connection says. */
  verify: () => Promise<unknown>;
  close: () => void;
} {
  const transport = createTransport({
    url,
    // The address's own options come last.
    requireTLS: !LOOPBACK.test(new URL(url).hostname),
    pool: true,
    maxConnections: AT_ONCE,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    // What a mail says is text that this service wrote: nothing is fetched or read for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async sendMail({ to, subject, text, messageId }) {
      const signal = AbortSignal.timeout(MAIL_MS);
      const recipient = { name: "", address: to };
      await transport.sendMail({ from, to: recipient, subject, text, messageId, signal });
    },
    verify: () => transport.verify(),
    close: () => transport.close(),
  };
}
