/** `npm run test:full` repeats the heavy proofs more often. Both sizes check the same. */
const isFull = process.env['TEST_SIZE'] === 'full';

export function size<T>({ usual, full }: { usual: T; full: T }): T {
  return isFull ? full : usual;
}
