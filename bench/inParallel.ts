import { eachInParallel } from '../src/kit/concurrency';

/** Repeats work, at most `inFlight` times at the same time, and returns the results. */
export async function inParallel<Result>(
  times: number,
  inFlight: number,
  work: () => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  await eachInParallel([...Array(times).keys()], inFlight, async () => void results.push(await work()));
  return results;
}
