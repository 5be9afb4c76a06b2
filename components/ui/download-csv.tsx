import { buttonLook } from "./button-look.ts";
import { Icon } from "./icon.tsx";

export function DownloadCsv({ href }: { href: string }) {
  return (
    <a href={href} download className={buttonLook()}>
      <Icon name="download" />
      Download CSV
    </a>
  );
}
