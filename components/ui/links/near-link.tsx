"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A link whose page is prefetched once the pointer or the focus is on it. Next would prefetch every link in sight, with two
 * requests each: forty for a page of the dashboard.
 */
export function NearLink(props: ComponentProps<typeof Link>) {
  const [isNear, setNear] = useState(false);
  const approach = () => setNear(true);
  return (
    <Link
      prefetch={isNear ? null : false}
      {...props}
      onPointerEnter={approach}
      onFocus={approach}
    />
  );
}
