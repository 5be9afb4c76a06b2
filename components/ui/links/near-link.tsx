"use client";

import Link, { useLinkStatus } from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A link whose page is prefetched once the pointer or the focus is on it. Next would prefetch every link in sight, with two
 * requests each: forty for a page of the dashboard. It is dimmed while its page is on the way.
 */
export function NearLink({ children, ...props }: ComponentProps<typeof Link>) {
  const [isNear, setNear] = useState(false);
  const approach = () => setNear(true);
  return (
    <Link prefetch={isNear ? null : false} {...props} onPointerEnter={approach} onFocus={approach}>
      {children}
      <OnTheWay />
    </Link>
  );
}

function OnTheWay() {
  const { pending } = useLinkStatus();
  return pending && <span hidden data-on-the-way />;
}
