import { entriesOf, type Recorded } from './history';
import { operationsOf } from './operations';
import { isRead, type Plan } from './schedule';
import { type Violation } from './rules/violation';

/** The result of a run. */
export interface Outcome {
  date: string;
  commit: string;
  seed: number;
  /** The options that repeat the run. */
  options: string;
  seconds: number;
  operations: number;
  /** How many of them read. */
  reads: number;
  answered: number;
  requests: number;
  events: number;
  /** Faults that happened, by kind. */
  faults: Record<string, number>;
  kills: number;
  violations: Violation[];
}

interface Run {
  plan: Plan;
  commit: string;
  seconds: number;
  history: readonly Recorded[];
  violations: Violation[];
}

export function sumUp({ plan, commit, seconds, history, violations }: Run): Outcome {
  const operations = operationsOf(history).filter(({ operation }) => operation > 0);
  const begun = entriesOf(history, 'fault').filter(({ state }) => state === 'begins');
  const names = begun.map(({ what, target }) => (what === 'kill' || what === 'freeze' ? `${what} ${target}` : what));
  const faults = Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
  const kills = begun.map(({ what }) => ({ kill: 1, lose: 1, 'kill two': 2, 'old store': 3 })[what as string] ?? 0);
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    commit,
    seed: plan.seed,
    options: plan.options,
    seconds: Math.round(seconds),
    operations: operations.length,
    reads: operations.filter(({ what }) => isRead(what)).length,
    answered: operations.filter(({ isUnknown }) => !isUnknown).length,
    requests: entriesOf(history, 'sent').length,
    events: entriesOf(history, 'heard').length,
    faults,
    kills: kills.reduce((sum, count) => sum + count, 0),
    violations,
  };
}

const linesShown = 20;

/** The text for a person. Each violation has the lines of the history that prove it. */
export function describe(outcome: Outcome, history: readonly Recorded[]): string {
  const { options, commit, seconds, operations, reads, answered, requests, events, faults, kills, violations } =
    outcome;
  const happened = Object.entries(faults).map(([name, count]) => `${name} ${count}`);
  return [
    `npm run simulate -- ${options}`,
    `Commit ${commit}, ${seconds} s`,
    `${operations - reads} operations that write and ${reads} that read, in ${requests} requests`,
    `${answered} operations answered, ${events} events heard`,
    `Faults: ${happened.join(', ') || 'none'} (${kills} kills)`,
    ...violations.flatMap(({ rule, what, lines }) => [
      `VIOLATION of ${rule}: ${what}`,
      ...lines.slice(0, linesShown).map((line) => `  ${JSON.stringify(history[line - 1])}`),
    ]),
    `${violations.length} violations`,
  ].join('\n');
}

const title = '# Results of the reliability proofs\n\n';
const heading = `## Simulator

\`npm run simulate -- --report docs/reliability-results.md\` adds a line. The same options repeat the operations and the faults.
`;
const head = `
| Date (UTC) | Commit | Seed | Seconds | Writes | Reads | Requests | Events | Kills | Other faults | Violations | Options |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`;

/** The page with the line of a run at its end, from the text of the page so far. */
export function withResult(text: string, outcome: Outcome): string {
  const { date, commit, seed, seconds, operations, reads, requests, events, kills, faults, violations, options } =
    outcome;
  const others = Object.entries(faults)
    .filter(([name]) => !name.startsWith('kill') && name !== 'lose')
    .reduce((sum, [, count]) => sum + count, 0);
  const counts = [seconds, operations - reads, reads, requests, events, kills, others, violations.length];
  const before = text === '' ? title : `${text}\n`;
  const page = text.includes(heading) ? text : before + heading;
  return `${page.includes(head) ? page : page + head}| ${[date, commit, seed, ...counts, options].join(' | ')} |\n`;
}
