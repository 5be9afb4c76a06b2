/** Polls until the answer is the wanted one or the time is up, and returns the last answer. */
export async function until<T>(
  waitMs: number,
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
): Promise<T> {
  const end = performance.now() + waitMs;
  let answer = await ask();
  while (!isWanted(answer) && performance.now() < end) {
    await new Promise((wake) => setTimeout(wake, 250));
    answer = await ask();
  }
  return answer;
}
