import { WebUrl } from "@turnpike/payments/protocol";
import { Icon } from "./icon.tsx";

/** A link from a user: clickable only for http and https, otherwise plain text. */
export function WebLink({ href }: { href: string }) {
  if (!WebUrl.safeParse(href).success) return <span className="wrap-anywhere">{href}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer nofollow ugc"
      className="link wrap-anywhere inline-flex min-h-6 items-center gap-1"
    >
      {href}
      <Icon name="external" className="size-3 shrink-0" />
      <span className="sr-only">, opens in a new tab</span>
    </a>
  );
}
