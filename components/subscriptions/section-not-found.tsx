import { ButtonLink } from "../ui/button-link.tsx";
import { Empty } from "../ui/empty.tsx";

/** An id that is unknown, or another account's: both look the same. */
export function SectionNotFound({ what, href }: { what: string; href: string }) {
  return (
    <>
      <h1 className="sr-only">Not found</h1>
      <Empty
        headingLevel={2}
        kind="filtered"
        title={`There is no such ${what} of yours`}
        actions={<ButtonLink href={href}>Back to the list</ButtonLink>}
      >
        The address may be mistyped, or it belongs to another account.
      </Empty>
    </>
  );
}
