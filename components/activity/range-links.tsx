import type { Role } from "@turnpike/payments/protocol";
import type { FigureRange } from "@/lib/console/figures.ts";
import { choiceLinks } from "../list-query.ts";
import { SegmentedLinks } from "../ui/fields/segmented-control.tsx";
import { RANGES } from "./series-points.ts";

type RangeLinksProps = {
  /** The range that is shown; none where other times are chosen. */
  range: FigureRange | undefined;
  hrefOf: (range: FigureRange) => string;
};

export function RangeLinks({ range, hrefOf }: RangeLinksProps) {
  const links = RANGES.map(({ range: one, label }) => ({
    label,
    href: hrefOf(one),
    isCurrent: one === range,
  }));
  return <SegmentedLinks label="Time" links={links} />;
}

type SideLinksProps = { role: Role; hrefOf: (role: Role) => string };

/** Whose calls are shown: those an account's agents received, or those it sent. */
export function SideLinks({ role, hrefOf }: SideLinksProps) {
  const links = choiceLinks({ builder: "Received", subscriber: "Sent" }, role, hrefOf);
  return <SegmentedLinks label="Side" links={links} />;
}
