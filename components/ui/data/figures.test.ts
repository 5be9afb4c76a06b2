import { expect, test } from "vitest";
import { lineSize } from "./figures.tsx";

test("only a first amount that fits its figure is large", () => {
  const lines = ["9,000 JPY", "47.94 EUR", "0.003703703670368 ETH"];
  expect(lines.map(lineSize)).toEqual(["large", "small", "small"]);
  expect(lineSize("0.003703703670368 ETH", 0)).toBe("small");
});
