/** The lines of a text in parts. Only a line feed ends one: in JSON other separators, at which `readline` ends lines too, are content. */
export async function* linesOf(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const part of parts) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
