/** Sweeps over every row that needs a run, due or not. Returns how many runs were missing. */
export async function sweepAll(): Promise<number> {
  const { sweepRuns } = await import('../../src/adapters/sweep.js');
  return sweepRuns({ overdueSeconds: 0, againSeconds: 0, roundSeconds: 0, rows: 10_000 });
}

/** Sweeps over the rows that are due. */
export async function sweepDue(): Promise<number> {
  const { sweepRuns } = await import('../../src/adapters/sweep.js');
  return sweepRuns({ overdueSeconds: 0, againSeconds: 0, roundSeconds: 86_400, rows: 10_000 });
}
