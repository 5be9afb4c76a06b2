import type { ReactNode } from "react";
import { TextLink } from "./ui/text-link.tsx";

export function PageNotFound({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-3 py-8">
      <p className="font-mono text-ink-2 text-mono">404</p>
      <h1 className="text-h1">{title}</h1>
      <p className="max-w-[68ch] text-ink-2">{children}</p>
      <p>
        <TextLink href="/">Go to the home page</TextLink>
      </p>
    </div>
  );
}
