/** Reads a stream of JSON lines as they arrive. Throws on a line that is not JSON, such as one that was cut off. */
export async function* readJsonLines<Line>(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Line, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // A line may be megabytes long: its parts are joined once, at the end.
  let parts: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      const text = done ? "\n" : decoder.decode(value, { stream: true });
      const [first = "", ...more] = text.split("\n");
      parts.push(first);
      for (const next of more) {
        const line = parts.join("");
        parts = [next];
        if (line) yield JSON.parse(line);
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
