/** Sweeps over every row that needs a run, due or not. Returns how many runs were missing. */
export async function sweepAll(): Promise<number> {
  const { sweepRuns } = await import('../../src/adapters/sweep.js');
  return sweepRuns({ overdueSeconds: 0, againSeconds: 0, lateSeconds: 600, roundSeconds: 0, rows: 10_000 });
}

/** Sweeps over the rows that are due. */
export async function sweepDue(): Promise<number> {
  const { sweepRuns } = await import('../../src/adapters/sweep.js');
  return sweepRuns({ overdueSeconds: 0, againSeconds: 0, lateSeconds: 600, roundSeconds: 86_400, rows: 10_000 });
}

/** Sweeps over the rows that are due, and tells their runs to compare themselves with their rows. */
export async function sweepLate(): Promise<number> {
  const { sweepRuns } = await import('../../src/adapters/sweep.js');
  return sweepRuns({ overdueSeconds: 0, againSeconds: 0, lateSeconds: 0, roundSeconds: 86_400, rows: 10_000 });
}
