import type { ReactNode } from "react";
import { ButtonLink } from "./button-link.tsx";
import { Empty } from "./empty.tsx";

type NothingYetProps = {
  title: string;
  /** The button that creates the first one, and where it leads. */
  action: string;
  href: string;
  example?: string;
  children: ReactNode;
};

/** Shown in place of a page's list while nothing was created. */
export function NothingYet({ title, action, href, example, children }: NothingYetProps) {
  const actions = (
    <>
      <ButtonLink look="primary" href={href}>
        {action}
      </ButtonLink>
      {example && <ButtonLink href={example}>Show an example</ButtonLink>}
    </>
  );
  return (
    <Empty kind="first" headingLevel={2} title={title} actions={actions}>
      {children}
    </Empty>
  );
}
