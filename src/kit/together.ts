/** What questions answer that are asked at the same time. Of those that fail, the first of the list is what fails. */
export async function together<T extends readonly unknown[]>(...asked: { [I in keyof T]: Promise<T[I]> }): Promise<T> {
  const settled = await Promise.allSettled(asked);
  return settled.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }) as unknown as T;
}
