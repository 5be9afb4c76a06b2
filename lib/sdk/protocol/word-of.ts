import * as z from "zod/mini";

/** One of several words, however its writer spells it. */
export const wordOf = <const Words extends readonly string[]>(
  words: Words,
  spell: (given: string) => string,
) =>
  z
    .pipe(z.pipe(z.string(), z.transform(spell)), z.enum(words))
    .register(z.globalRegistry, { wire: "text" });
