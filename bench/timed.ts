/** How long the work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

type Measure = () => Promise<number>;

/** Measures the product and something bare in turn, so that other load on the machine affects both. */
export async function inTurn(times: number, product: Measure, bare: Measure) {
  const measured = { product: [] as number[], bare: [] as number[] };
  for (let n = 0; n < times; n += 1) {
    measured.product.push(await product());
    measured.bare.push(await bare());
  }
  return measured;
}
