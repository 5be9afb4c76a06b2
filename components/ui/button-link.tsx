import type { ComponentProps } from "react";
import { type ButtonLook, buttonLook } from "./button-look.ts";
import { cn } from "./cn.ts";
import { NearLink } from "./links/near-link.tsx";

export function ButtonLink({
  look,
  size,
  className,
  ...props
}: ButtonLook & ComponentProps<typeof NearLink>) {
  return <NearLink {...props} className={cn(buttonLook({ look, size }), className)} />;
}
