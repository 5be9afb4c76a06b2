const STEPS = [1, 2, 2.5, 5, 10];
const MOST_MARKS = 6;

export type Scale = { end: number; marks: number[] };

/** A scale from zero that covers a value, with at most six round steps; whole ones for counts. */
export function scaleFor(value: number, isCount = false): Scale {
  const wanted = value > 0 ? value : 1;
  const size = 10 ** Math.floor(Math.log10(wanted / MOST_MARKS));
  const step =
    STEPS.map((factor) => round(factor * size)).find(
      (one) => wanted / one <= MOST_MARKS && (!isCount || Number.isInteger(one)),
    ) ?? round(size * 10);
  const count = Math.max(1, Math.ceil(round(wanted / step)));
  return {
    end: round(count * step),
    marks: Array.from({ length: count + 1 }, (_, index) => round(index * step)),
  };
}

// Sums of tenths drift in their sixteenth digit.
const round = (value: number) => Number(value.toPrecision(12));
