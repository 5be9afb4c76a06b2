export const ACCOUNT = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
export const RECEIVER = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
export const NOW = "2026-11-21T14:10:00.000Z";

export const RANGES = [
  { value: "24h", label: "24 h" },
  { value: "7d", label: "7 d" },
  { value: "30d", label: "30 d" },
];

/** A day of requests by hour: settled, payment required, unsettled, declined, not charged. */
const DAY = [
  [15, 75, 20, 0, 2, 2],
  [16, 80, 30, 0, 2, 1],
  [17, 71, 19, 0, 3, 1],
  [18, 60, 17, 0, 1, 1],
  [19, 54, 18, 0, 2, 2],
  [20, 49, 14, 0, 1, 3],
  [21, 40, 11, 0, 1, 1],
  [22, 33, 12, 0, 1, 1],
  [23, 27, 8, 0, 1, 1],
  [0, 21, 6, 0, 1, 1],
  [1, 17, 8, 0, 0, 0],
  [2, 15, 6, 0, 0, 0],
  [3, 13, 5, 0, 0, 0],
  [4, 16, 6, 0, 0, 1],
  [5, 22, 7, 0, 1, 0],
  [6, 35, 10, 0, 1, 1],
  [7, 57, 22, 0, 1, 1],
  [8, 83, 23, 0, 9, 2],
  [9, 96, 26, 0, 1, 2],
  [10, 102, 37, 0, 1, 2],
  [11, 107, 28, 0, 3, 8],
  [12, 99, 27, 0, 1, 2],
  [13, 94, 32, 2, 4, 1],
  [14, 18, 6, 1, 1, 1],
] as const;

const two = (hour: number) => String(hour).padStart(2, "0");

export const CALLS_BY_HOUR = DAY.map(
  ([hour, settled, challenged, unsettled, refused, notCharged]) => ({
    label: `${two(hour)}:00`,
    title: `${hour < 15 ? 21 : 20} Nov ${two(hour)}:00 UTC`,
    values: { settled, challenged, unsettled, refused, notCharged },
  }),
);
