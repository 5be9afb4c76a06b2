import type { ComponentProps } from "react";
import { type ButtonLook, buttonLook } from "./button-look.ts";
import { cn } from "./cn.ts";
import { NearLink } from "./links/near-link.tsx";

type ButtonLinkProps = ButtonLook & ComponentProps<typeof NearLink>;

export function ButtonLink({ look, size, className, ...props }: ButtonLinkProps) {
  return <NearLink {...props} className={cn(buttonLook({ look, size }), className)} />;
}
