/** Waits for all promises and returns their values. If several fail, it throws the error of the first one in the list. */
export async function allOrFirstError<T extends readonly unknown[]>(
  ...promises: { [I in keyof T]: Promise<T[I]> }
): Promise<T> {
  const settled = await Promise.allSettled(promises);
  return settled.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }) as unknown as T;
}

/** Does the work for each item, in order, for at most `atOnce` items at the same time. */
export async function eachInParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const remaining = items.values();
  const workInTurn = async () => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, workInTurn));
}
