import Link from "next/link";
import type { ComponentProps } from "react";
import { type ButtonLook, buttonLook } from "./button-look.ts";
import { cn } from "./cn.ts";

export function ButtonLink({
  look,
  size,
  className,
  ...props
}: ButtonLook & ComponentProps<typeof Link>) {
  return <Link {...props} className={cn(buttonLook({ look, size }), className)} />;
}
