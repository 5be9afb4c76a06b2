import type { ReactNode } from "react";
import { NearLink } from "./links/near-link.tsx";

export function TextLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <NearLink href={href} className="link">
      {children}
    </NearLink>
  );
}
