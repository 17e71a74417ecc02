const betweenLooksMs = 20;

/**
 * Waits for a condition: calls `look` until it returns a value. The time limit of jest ends a wait without success. A number
 * is not allowed, because 0 would end the wait.
 */
export async function until<T extends object | string | boolean>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, betweenLooksMs));
  }
}
