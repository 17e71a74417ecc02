const betweenLooksMs = 20;

/** Waits for a condition: looks again until `look` answers something. The runner's own limit ends a wait in vain. */
export async function until<T>(look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, betweenLooksMs));
  }
}
