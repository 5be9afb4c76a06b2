import { createTransport } from "nodemailer";
import type { SendMail } from "@/lib/domain/alerts/alert-ports.ts";

const CONNECT_MS = 10_000;
const SILENT_MS = 20_000;
const AT_ONCE = 5;

/**
 * The way to a mail server. A mail is sent once the server accepted it; anything else throws with the server's words.
 *
 * @param settings url: `smtp://` or `smtps://`, with user and password where the server asks for them.
 * @example const { sendMail } = createSmtp({ url: "smtps://user:pass@smtp.example.com", from: "Turnpike <no-reply@example.com>" });
 */
export function createSmtp({ url, from }: { url: string; from: string }): {
  sendMail: SendMail;
  close: () => void;
} {
  const transport = createTransport({
    url,
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
      await transport.sendMail({ from, to: { name: "", address: to }, subject, text, messageId });
    },
    close: () => transport.close(),
  };
}
