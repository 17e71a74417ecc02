/** The pauses grow: a long wait, such as for another worker, leaves the processor to the other files. */
const firstPauseMs = 20;
const longestPauseMs = 100;
const growth = 1.1;

/**
 * Waits for a condition: calls `look` until it returns a value. The time limit of jest ends a wait without success. A number
 * is not allowed, because 0 would end the wait.
 */
export async function until<T extends object | string | boolean>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * growth)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
