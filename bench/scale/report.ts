import { cpus } from 'node:os';
import { partNames, totalMs, type Cost } from './costs';
import { type Scale } from './scale';

/** The page with the results, as Markdown. */
export function describeScale({ subscribers, rebuild, night, costs, sockets }: Scale, commit: string): string {
  const { count, tookSeconds, bytesOfEach, largest, rows } = subscribers;
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const rowCount = [...rows.values()].reduce((sum, own) => sum + own, 0);
  return `# Results of the scale bench

\`npm run bench:scale -- --report docs/capacity-results.md\` writes this page. [Capacity](capacity.md) explains it.

Commit ${commit}, ${date} UTC, ${cpus().length} processors for everything, ${whole(count)} live subscriptions.

| Work | Units | Per second | CPU of a unit (ms): API | Worker | PostgreSQL | Temporal | All | Units per second of one core |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${[...costs, night.cost, rebuild.cost].map(lineOf).join('\n')}

| Measure | Value |
| --- | --- |
| PostgreSQL, of a subscription with its customer | ${kilobytes(bytesOfEach)} in ${rowCount} rows of ${rows.size} tables |
| PostgreSQL, of a renewal | ${kilobytes(night.bytesOfEach)} |
| Temporal's store, of an open run | ${kilobytes(rebuild.storeBytesOfEach)} |
| Temporal's memory, of an open run | ${kilobytes(rebuild.memoryBytesOfEach)} |
| Reads during the renewals | ${whole(night.reads.count)}, ${night.reads.failed} failed, p50 ${night.reads.p50.toFixed(1)} ms, p99 ${night.reads.p99.toFixed(1)} ms |
| Socket events of one API | ${whole(sockets.perSecond)} a second, ${sockets.memoryKb.toFixed(1)} kB for each open socket |
| Copies of the purchase were written in | ${whole(tookSeconds)} s |

The largest tables, with their indexes:

| Table | Of each subscription |
| --- | --- |
${largest.map(({ table, bytesOfEach: own }) => `| \`${table}\` | ${kilobytes(own)} |`).join('\n')}
`;
}

function lineOf(cost: Cost): string {
  const { what, units, seconds, cpuMs } = cost;
  const total = totalMs(cost);
  const times = [...partNames.map((part) => cpuMs[part]), total].map((ms) => ms.toFixed(ms < 1 ? 3 : 1));
  return `| ${[what, whole(units), rate(units / seconds), ...times, rate(1000 / total)].join(' | ')} |`;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const rate = (value: number) => (value < 100 ? value.toFixed(1) : whole(value));
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} kB`;
