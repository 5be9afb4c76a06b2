import { ButtonLink } from "../ui/button-link.tsx";
import { Empty } from "../ui/empty.tsx";

/** The page for an unknown id. Another account's id looks the same. */
export function SectionNotFound({ what, href }: { what: string; href: string }) {
  return (
    <>
      <h1 className="sr-only">Not found</h1>
      <Empty
        headingLevel={2}
        kind="filtered"
        title={`${what[0]?.toUpperCase()}${what.slice(1)} not found`}
        actions={<ButtonLink href={href}>{`View all ${what}s`}</ButtonLink>}
      >
        Check the URL. The {what} may belong to another account.
      </Empty>
    </>
  );
}
