const betweenLooksMs = 20;

/**
 * Waits for a condition: looks again until `look` answers something. The runner's own limit ends a wait in vain. A number
 * is no answer, because 0 would end the wait.
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
