import { buttonLook } from "./button-look.ts";
import { Icon } from "./icon.tsx";

/** Downloads a list as CSV. */
export function DownloadCsv({ href }: { href: string }) {
  return (
    <a href={href} download className={buttonLook()}>
      <Icon name="download" />
      Download CSV
    </a>
  );
}
