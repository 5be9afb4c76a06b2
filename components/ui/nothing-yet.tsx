import type { ReactNode } from "react";
import { ButtonLink } from "./button-link.tsx";
import { Empty } from "./empty.tsx";

type NothingYetProps = {
  title: string;
  /** The button that creates the first one, or leads to where it begins. */
  action: string;
  href: string;
  /** Nothing has to be created: the page is empty until something happens. */
  isFine?: boolean;
  example?: string;
  children: ReactNode;
};

/** Shown in place of a page's list while nothing was created. */
export function NothingYet({ title, action, href, isFine, example, children }: NothingYetProps) {
  const actions = (
    <>
      <ButtonLink look={isFine ? "plain" : "primary"} href={href}>
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
