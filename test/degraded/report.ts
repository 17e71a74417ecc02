import { type Figures } from './measure';

export interface Results {
  date: string;
  commit: string;
  /** How long a fault lasts that does not end by itself. */
  seconds: number;
  figures: Figures[];
}

/** Whether all purchases arrived, and the goal is met. */
export function isGood({ goal, lost, ...figures }: Figures): boolean {
  return lost === 0 && (goal === undefined || figures[goal.limit] <= goal.atMost);
}

/** The text of the file with the results. */
export function renderResults({ date, commit, seconds, figures }: Results): string {
  return `# Results of the degraded modes

\`npm run degraded -- --report docs/degraded-modes.md\` writes this file. Consumers check their access ten times a second and buy twice a second at one
API, without a load balancer. Failed purchases are sent again with the same key. [Reliability](reliability.md#degraded-modes) explains the columns.

${date} (UTC), commit ${commit}. A fault that does not end by itself lasts ${seconds} seconds.

| Fault | Failed access checks | Longest time without an access check (s) | Failed requests to buy | From pay to content, median (s) | Slowest (s) | After the end, until all works (s) | Goal (s) |
| --- | --- | --- | --- | --- | --- | --- | --- |
${figures.map(rowOf).join('\n')}
`;
}

function rowOf(figures: Figures): string {
  const { mode, failedChecks, failedPurchases, withoutCheck, medianPurchase, slowestPurchase, afterEnd } = figures;
  const times = [medianPurchase, slowestPurchase, afterEnd].map((time) => time.toFixed(1));
  const cells = [mode, counts(failedChecks), withoutCheck.toFixed(1), counts(failedPurchases), ...times];
  return `| ${[...cells, goalOf(figures)].join(' | ')} |`;
}

const counts = (results: Record<string, number>) =>
  Object.entries(results)
    .map(([result, count]) => `${count} × ${result}`)
    .join(', ') || '0';

const limits = {
  withoutCheck: 'access checks again within',
  slowestPurchase: 'slowest purchase within',
  afterEnd: 'all works within',
} as const;

function goalOf(figures: Figures): string {
  const { goal, lost } = figures;
  const verdict = isGood(figures) ? 'met' : 'missed';
  const lostText = lost > 0 ? `${lost} purchases did not arrive. ` : '';
  return lostText + (goal ? `${limits[goal.limit]} ${goal.atMost}: ${verdict}` : '');
}
