import type { FigureRange } from "@/lib/console/figures.ts";
import { SegmentedLinks } from "../ui/fields/segmented-control.tsx";
import { RANGES } from "./series-points.ts";

type RangeLinksProps = {
  /** The range that is shown; none where other times are chosen. */
  range: FigureRange | undefined;
  hrefOf: (range: FigureRange) => string;
};

/** The time that a page's figures cover. */
export function RangeLinks({ range, hrefOf }: RangeLinksProps) {
  const links = RANGES.map(({ range: one, label }) => ({
    label,
    href: hrefOf(one),
    isCurrent: one === range,
  }));
  return <SegmentedLinks label="Time" links={links} />;
}
